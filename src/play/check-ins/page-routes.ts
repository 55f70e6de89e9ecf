/** `/check-in/{matchId}`: the page at the gate, for every match and also in production. */

import { Elysia } from 'elysia'
import type { Config } from '../../platform/config/config.ts'
import { Nothing } from '../../platform/http/contract/operation.ts'
import { gateFiles } from './page.ts'

export function checkInPages({ config: { checkInUrl } }: { config: Config }) {
  const routes = new Elysia({ name: 'matchday/check-in-pages', prefix: '/check-in' })
  for (const [path, respond] of gateFiles({ link: checkInUrl, matches: '/api/matches', session: false }))
    routes.get(path, respond, { query: Nothing, detail: { hide: true } })
  return routes
}
