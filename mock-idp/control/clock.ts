import { Elysia } from 'elysia'
import type { Provider } from '../provider.ts'
import { Type } from '../typebox.ts'
import { integer, nothing, readInput } from './input.ts'

const tenYears = 10 * 365 * 86_400_000
const Advance = Type.Object({ advanceMs: integer(0, tenYears) })

/** `/_mock/clock`, `/_mock/requests` and `/_mock/reset`. */
export function clockControls(provider: Provider & { reset: () => void }) {
  const { clock, requests, webhooks, users } = provider
  const describe = () => ({ now: new Date(clock.now()).toISOString(), offsetMs: clock.offsetMs })
  return new Elysia({ name: 'mock-idp/control/clock' })
    .get('/_mock/clock', describe)
    .post('/_mock/clock', async ({ request }) => {
      const { advanceMs } = await readInput(request, Advance)
      clock.advance(advanceMs)
      return { ...describe(), deliveries: await webhooks.deliverDue() }
    })
    .get('/_mock/requests', ({ request }) => {
      return { requests: requests.list(new URL(request.url).searchParams.get('path') ?? undefined) }
    })
    .delete('/_mock/requests', () => {
      requests.clear()
      return new Response(null, { status: 204 })
    })
    .post('/_mock/reset', async ({ request }) => {
      await readInput(request, nothing)
      provider.reset()
      return { users: users.size, ...describe() }
    })
}
