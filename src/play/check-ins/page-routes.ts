/** `/check-in/{matchId}`: the gate display, for every match and also in production. */

import { Elysia } from 'elysia'
import { Closed } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import type { Config } from '../../platform/config/config.ts'
import { Nothing } from '../../platform/http/contract/operation.ts'
import { gateFiles } from './page.ts'

const MatchPath = Closed({ matchId: Type.String({ maxLength: 100 }) })

export function checkInPages({ config: { checkInUrl } }: { config: Config }) {
  const { page, assets } = gateFiles({ link: checkInUrl, matches: '/api/matches', session: false })
  const hidden = { query: Nothing, detail: { hide: true } }
  const routes = new Elysia({ name: 'matchday/check-in-pages', prefix: '/check-in' })
  routes.get('/:matchId', page, { ...hidden, params: MatchPath })
  for (const [path, respond] of assets) routes.get(path, respond, hidden)
  return routes
}
