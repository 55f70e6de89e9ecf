/** The response with the page to print, for the fan and for staff. */
import type { Reader } from '../../../db/index.ts'
import { inLanguages } from '../../core/texts.ts'
import { pageResponse } from '../../platform/docs/page-response.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'
import { RECEIPT_POLICY, receiptPage } from './page.ts'
import type { Receipt } from './schema.ts'
import { wordsFor } from './words.ts'

/** `languages`: the most preferred first. `number`: as of `receiptPage`. */
export async function printReceipt(
  reader: Reader,
  receipt: Receipt,
  languages: readonly string[],
  number?: number,
): Promise<Response> {
  const page = receiptPage(
    inLanguages(receipt, languages),
    wordsFor(languages),
    await timeZoneOf(reader),
    number,
  )
  const response = pageResponse(page, 'text/html; charset=utf-8', RECEIPT_POLICY)
  response.headers.set('Cache-Control', 'no-store')
  return response
}
