import { Elysia } from 'elysia'
import { defects } from '../oidc/defects.ts'
import { signingAlgorithms } from '../oidc/keys.ts'
import { tokenLifetime } from '../oidc/tokens.ts'
import type { Provider } from '../provider.ts'
import { integer, object, oneOf, readInput, required, text } from './input.ts'

const tokenShape = {
  sub: required(text(255)),
  expiresIn: integer(-31_536_000, 31_536_000),
  claims: object,
  defect: oneOf(defects),
  scope: text(500),
  clientId: text(100),
  typ: text(50),
}

/** `/_mock/tokens` issues access tokens without a sign-in; `/_mock/keys` manages the signing keys. */
export function tokenControls({ users, tokens, keys }: Provider) {
  const describe = () => ({
    current: keys.current.kid,
    keys: keys.jwks.keys.map(({ kid, alg }) => ({ kid, alg })),
  })
  return new Elysia({ name: 'mock-idp/control/tokens' })
    .post(
      '/_mock/tokens',
      async ({ request }) => {
        const { sub, ...options } = await readInput(request, tokenShape)
        const access_token = await tokens.issueAccessToken(users.get(sub).sub, options)
        const response = {
          access_token,
          token_type: 'Bearer',
          expires_in: options.expiresIn ?? tokenLifetime,
        }
        return Response.json(response, { headers: { 'cache-control': 'no-store' } })
      },
      { parse: 'none' },
    )
    .get('/_mock/keys', describe)
    .post(
      '/_mock/keys/rotate',
      async ({ request }) => {
        const { alg } = await readInput(request, { alg: oneOf(signingAlgorithms) })
        keys.rotate(alg)
        return describe()
      },
      { parse: 'none' },
    )
    .post(
      '/_mock/keys/retire',
      async ({ request }) => {
        await readInput(request, {})
        const retired = keys.retire()
        return { ...describe(), retired }
      },
      { parse: 'none' },
    )
}
