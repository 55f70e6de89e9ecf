import { Elysia } from 'elysia'
import { defects } from '../oidc/defects.ts'
import { signingAlgorithms } from '../oidc/keys.ts'
import { tokenLifetime } from '../oidc/tokens.ts'
import type { Provider } from '../provider.ts'
import { Type } from '../typebox.ts'
import { integer, nothing, object, oneOf, readInput, text } from './input.ts'

const TokenRequest = Type.Object({
  sub: text(255),
  expiresIn: Type.Optional(integer(-31_536_000, 31_536_000)),
  claims: Type.Optional(object),
  defect: Type.Optional(oneOf(defects)),
  scope: Type.Optional(text(500)),
  clientId: Type.Optional(text(100)),
  typ: Type.Optional(text(50)),
})
const Rotation = Type.Object({ alg: Type.Optional(oneOf(signingAlgorithms)) })

/** `/_mock/tokens` issues access tokens without a sign-in; `/_mock/keys` manages the signing keys. */
export function tokenControls({ users, tokens, keys }: Provider) {
  const describe = () => ({
    current: keys.current.kid,
    keys: keys.jwks.keys.map(({ kid, alg }) => ({ kid, alg })),
  })
  return new Elysia({ name: 'mock-idp/control/tokens' })
    .post('/_mock/tokens', async ({ request }) => {
      const { sub, ...options } = await readInput(request, TokenRequest)
      const { expiresIn: expires_in = tokenLifetime } = options
      const access_token = await tokens.issueAccessToken(users.get(sub).sub, options)
      const response = { access_token, token_type: 'Bearer', expires_in }
      return Response.json(response, { headers: { 'cache-control': 'no-store' } })
    })
    .get('/_mock/keys', describe)
    .post('/_mock/keys/rotate', async ({ request }) => {
      const { alg } = await readInput(request, Rotation)
      keys.rotate(alg)
      return describe()
    })
    .post('/_mock/keys/retire', async ({ request }) => {
      await readInput(request, nothing)
      const retired = keys.retire()
      return { ...describe(), retired }
    })
}
