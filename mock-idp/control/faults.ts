import { Elysia } from 'elysia'
import { faultKinds, faultMatches } from '../faults/fault.ts'
import { OAuthError } from '../oidc/oauth-error.ts'
import type { Provider } from '../provider.ts'
import { httpUrl, integer, json, oneOf, readInput, required } from './input.ts'

const faultShape = {
  match: required(oneOf(faultMatches)),
  kind: required(oneOf(faultKinds)),
  status: integer(200, 599),
  retryAfter: integer(0, 86_400),
  delayMs: integer(0, 600_000),
  location: httpUrl,
  body: json,
  count: integer(1, 1_000_000),
}

/** `/_mock/faults`: the active faults. */
export function faultControls({ faults }: Provider) {
  return new Elysia({ name: 'mock-idp/control/faults' })
    .get('/_mock/faults', () => ({ faults: faults.list() }))
    .post(
      '/_mock/faults',
      async ({ request }) => Response.json(faults.add(await readInput(request, faultShape)), { status: 201 }),
      { parse: 'none' },
    )
    .delete('/_mock/faults', () => ({ deleted: faults.remove() }))
    .delete('/_mock/faults/:id', ({ params }) => {
      if (faults.remove(params.id) === 0)
        throw new OAuthError(404, 'not_found', 'There is no active fault with this id.')
      return { deleted: 1 }
    })
}
