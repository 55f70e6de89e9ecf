/** `/demo`: the example app for the web, in development. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import type { Config } from '../config/config.ts'
import type { IdentityProvider } from '../identity-provider/provider.ts'
import { pagePolicy, pageResponse } from './page-response.ts'

const CLIENT_ID = 'matchday-app'

/** Serves the bundled files of `folder`. */
export function demoRoutes(
  { config, identity }: { config: Config; identity: IdentityProvider },
  folder: string,
) {
  const hidden = { detail: { hide: true } }
  const { issuer } = config.identity
  const settings = JSON.stringify({ issuer, clientId: CLIENT_ID })
  const servePage = async () => {
    const policy = pagePolicy(issuer, await identity.endpoints())
    return pageResponse(Bun.file(join(folder, 'index.html')), 'text/html; charset=utf-8', policy)
  }
  const routes = new Elysia({ prefix: '/demo' })
    // The provider's response arrives in the query: any member is accepted.
    .get('', servePage, hidden)
    .get('/config.json', () => pageResponse(settings, 'application/json'), hidden)
  for (const name of readdirSync(folder)) {
    const file = Bun.file(join(folder, name))
    routes.get(`/${name}`, () => pageResponse(file, file.type), hidden)
  }
  return routes
}
