/** The control interface of a world's mock provider. */
import type { Answer } from '../../support/client.ts'
import type { World } from '../../support/world.ts'

/** The JSON of the response. Throws unless the request succeeds. */
export async function control(
  world: Pick<World, 'idp'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer['body']> {
  const response = await world.idp.handle(
    new Request(`http://localhost:4000/_mock${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    }),
  )
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
  return response.status === 204 ? {} : response.json()
}

/** A token from `POST /_mock/tokens`. */
export async function tokenOf(world: Pick<World, 'idp'>, options: object): Promise<string> {
  return (await control(world, 'POST', '/tokens', { sub: 'fan-0001', ...options })).access_token
}

/** Number of key requests to the provider since its log was cleared. */
export async function keyFetches(world: Pick<World, 'idp'>): Promise<number> {
  const { requests } = await control(world, 'GET', '/requests')
  return requests.filter(({ path }: { path: string }) => path.includes('jwks')).length
}
