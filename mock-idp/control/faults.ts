import { Elysia } from 'elysia'
import { FaultInput } from '../faults/fault.ts'
import { notFound } from '../oidc/oauth-error.ts'
import type { Provider } from '../provider.ts'
import { readInput } from './input.ts'

/** `/_mock/faults`: the active faults. */
export function faultControls({ faults }: Provider) {
  return new Elysia({ name: 'mock-idp/control/faults' })
    .get('/_mock/faults', () => ({ faults: faults.list() }))
    .post('/_mock/faults', async ({ request }) =>
      Response.json(faults.add(await readInput(request, FaultInput)), { status: 201 }),
    )
    .delete('/_mock/faults', () => ({ deleted: faults.remove() }))
    .delete('/_mock/faults/:id', ({ params }) => {
      if (faults.remove(params.id) === 0) throw notFound('There is no active fault with this id.')
      return { deleted: 1 }
    })
}
