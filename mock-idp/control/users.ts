import { Elysia } from 'elysia'
import { invalidRequest } from '../oidc/oauth-error.ts'
import type { Provider } from '../provider.ts'
import { Type } from '../typebox.ts'
import { presentUser } from '../users/user.ts'
import { boolean, httpUrl, nullable, readInput, text } from './input.ts'

const sub = Type.String({
  pattern: '^[\\x21-\\x7e]{1,255}$',
  description: '1 to 255 printable ASCII characters',
})
// Long and unusual claims are accepted on purpose: tests check how an API handles them.
const Claims = Type.Object({
  name: nullable(text(10_000)),
  given_name: nullable(text(10_000)),
  family_name: nullable(text(10_000)),
  preferred_username: nullable(text(10_000)),
  email: nullable(text(10_000)),
  email_verified: nullable(boolean),
  picture: nullable(httpUrl),
  locale: nullable(text(10_000)),
  zoneinfo: nullable(text(10_000)),
})
const Changes = Type.Partial(Claims)
const NewUser = Type.Partial(Type.Object({ sub, ...Claims.properties }))

/** `/_mock/users`: the users. Changes and deletions send webhooks. */
export function userControls({ issuer, users, webhooks }: Provider) {
  return new Elysia({ name: 'mock-idp/control/users' })
    .get('/_mock/users', ({ request }) => {
      const query = new URL(request.url).searchParams
      const limit = wholeNumber(query, 'limit', 50, 1000)
      const offset = wholeNumber(query, 'offset', 0, Number.MAX_SAFE_INTEGER)
      const found = users.search(query.get('q') ?? '')
      const page = found.slice(offset, offset + limit).map(user => presentUser(user, issuer))
      return { users: page, total: found.length, limit, offset }
    })
    .post('/_mock/users', async ({ request }) => {
      const user = users.create(await readInput(request, NewUser))
      return Response.json(presentUser(user, issuer), { status: 201 })
    })
    .get('/_mock/users/:sub', ({ params }) => presentUser(users.get(params.sub), issuer))
    .patch('/_mock/users/:sub', async ({ request, params }) => {
      users.get(params.sub)
      const user = users.update(params.sub, await readInput(request, Changes))
      await webhooks.publish('user.updated', user)
      return presentUser(user, issuer)
    })
    .delete('/_mock/users/:sub', async ({ params }) => {
      await webhooks.publish('user.deleted', users.delete(params.sub))
      return new Response(null, { status: 204 })
    })
}

function wholeNumber(query: URLSearchParams, name: string, defaultValue: number, max: number): number {
  const value = query.get(name)
  if (value === null) return defaultValue
  if (!/^\d{1,16}$/.test(value) || Number(value) > max)
    throw invalidRequest(`${name} is a whole number, at most ${max}.`)
  return Number(value)
}
