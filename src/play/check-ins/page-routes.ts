/** `/check-in/{matchId}`: the page at the gate, for every match and also in production. */

import { Elysia } from 'elysia'
import { Closed } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import type { Config } from '../../platform/config/config.ts'
import { pageResponse } from '../../platform/docs/page-response.ts'
import { Nothing } from '../../platform/http/contract/operation.ts'
import { assets, page } from './page.ts'

/** Everything from this origin, except for crests: catalogues name pictures of any https origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: https:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const MatchPath = Closed({ matchId: Type.String({ maxLength: 100 }) })

export function checkInPages({ config: { checkInUrl } }: { config: Config }) {
  const hidden = { query: Nothing, detail: { hide: true } }
  const routes = new Elysia({ name: 'matchday/check-in-pages', prefix: '/check-in' }).get(
    '/:matchId',
    () => pageResponse(page(checkInUrl), 'text/html; charset=utf-8', POLICY),
    { ...hidden, params: MatchPath },
  )
  for (const [name, { type, file }] of Object.entries(assets))
    routes.get(`/assets/${name}`, () => pageResponse(Bun.file(file), type), hidden)
  return routes
}
