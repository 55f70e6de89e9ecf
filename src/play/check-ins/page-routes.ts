/** `/check-in/{matchId}`: the page at the gate, for every match and also in production. */

import { Elysia } from 'elysia'
import { Closed } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { pageResponse } from '../../platform/docs/page-response.ts'
import { Nothing } from '../../platform/http/contract/operation.ts'
import { assets, page } from './page.ts'

/** Everything from this origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const MatchPath = Closed({ matchId: Type.String({ maxLength: 100 }) })

export function checkInPages() {
  const hidden = { query: Nothing, detail: { hide: true } }
  const routes = new Elysia({ name: 'matchday/check-in-pages', prefix: '/check-in' }).get(
    '/:matchId',
    () => pageResponse(page, 'text/html; charset=utf-8', POLICY),
    { ...hidden, params: MatchPath },
  )
  for (const [name, { type, file }] of Object.entries(assets))
    routes.get(`/assets/${name}`, () => pageResponse(Bun.file(file), type), hidden)
  return routes
}
