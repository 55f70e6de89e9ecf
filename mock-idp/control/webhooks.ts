import { Elysia } from 'elysia'
import type { Provider } from '../provider.ts'
import { Type } from '../typebox.ts'
import { isWebhookSecret, webhookModes } from '../users/webhooks.ts'
import { format, httpUrl, integer, nothing, nullable, oneOf, readInput } from './input.ts'

const Settings = Type.Object({
  url: Type.Optional(nullable(httpUrl)),
  secret: Type.Optional(
    format('mock-webhook-secret', 'whsec_ and base64 of 24 to 64 bytes', isWebhookSecret),
  ),
  mode: Type.Optional(oneOf(webhookModes)),
  delayMs: Type.Optional(integer(0, 86_400_000)),
})

/** `/_mock/webhooks`: the webhook settings and deliveries. */
export function webhookControls({ webhooks }: Provider) {
  const describe = () => ({ ...webhooks.config, pending: webhooks.pending, deliveries: webhooks.deliveries })
  return new Elysia({ name: 'mock-idp/control/webhooks' })
    .get('/_mock/webhooks', describe)
    .put('/_mock/webhooks', async ({ request }) => {
      webhooks.configure(await readInput(request, Settings))
      return describe()
    })
    .post('/_mock/webhooks/flush', async ({ request }) => {
      await readInput(request, nothing)
      return { deliveries: await webhooks.flush(), pending: webhooks.pending }
    })
}
