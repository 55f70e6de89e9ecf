import type { Encryption } from '../../core/encryption.ts'
import { Closed } from '../../core/schemas.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { preferredLanguages } from '../../platform/http/edge/accept-language.ts'
import { addVary } from '../../platform/http/edge/responses.ts'
import { printReceipt } from './print-receipt.ts'
import { thrownBy } from './problems.generated.ts'
import { readOwnReceipt } from './read-receipt.ts'
import * as schema from './schema.ts'

const HTML = 'text/html'

type ReceiptDeps = FanDeps & { addressEncryption: Encryption }

export const receiptRoutes = (deps: ReceiptDeps) =>
  fans(deps, { prefix: '/api/user/orders', tag: 'Shop' }).get(
    '/:orderId/receipt',
    ({ caller, params, query, request, set }) => {
      addVary(set.headers, 'Accept')
      const receipt = readOwnReceipt(deps.db.read, deps.addressEncryption, caller, params.orderId)
      if (!prefersHtml(request.headers.get('accept'))) return receipt
      const asked = [query.lang, caller.locale]
      return printOwnReceipt(deps, receipt, preferredLanguages(asked, request.headers.get('accept-language')))
    },
    operation({
      id: 'readReceipt',
      summary: 'Read a receipt',
      description:
        'Of a paid order, or of a pack that was bought for money, with the credit notes of its refunds. With `text/html` first in `Accept`, it is a page to print, in your language.',
      params: schema.ReceiptParams,
      query: Closed(LanguageQuery),
      responses: { 200: { ...schema.Receipt, alsoAs: HTML } },
      problems: thrownBy.readReceipt,
      examples: { 200: schema.exampleReceipt },
    }),
  )

async function printOwnReceipt(
  { db }: ReceiptDeps,
  receipt: Promise<schema.Receipt>,
  languages: readonly string[],
): Promise<Response> {
  const response = await printReceipt(db.read, await receipt, languages)
  response.headers.set('Vary', 'Accept, Accept-Language')
  return response
}

/** Whether HTML is preferred to JSON. Of equal preferences, the first. */
export function prefersHtml(accept: string | null): boolean {
  const ranges = (accept ?? '').split(',', 20).map(range => {
    const [type = '', ...parameters] = range
      .toLowerCase()
      .split(';')
      .map(text => text.trim())
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
    return { type, weight: weight === undefined ? 1 : Number(weight) || 0 }
  })
  const html = ranges.find(({ type }) => type === HTML)
  const json = ranges.find(({ type }) => type === 'application/json')
  if (!html || html.weight === 0) return false
  if (!json) return true
  return (
    html.weight > json.weight || (html.weight === json.weight && ranges.indexOf(html) < ranges.indexOf(json))
  )
}
