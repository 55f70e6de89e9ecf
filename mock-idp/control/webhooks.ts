import { Elysia } from 'elysia'
import type { Provider } from '../provider.ts'
import { isWebhookSecret, webhookModes } from '../users/webhooks.ts'
import { type Field, httpUrl, integer, nullable, oneOf, readInput } from './input.ts'

const secret: Field<string> = {
  expects: 'whsec_ and base64 of 24 to 64 bytes',
  accepts: (value): value is string => typeof value === 'string' && isWebhookSecret(value),
}
const webhookShape = {
  url: nullable(httpUrl),
  secret,
  mode: oneOf(webhookModes),
  delayMs: integer(0, 86_400_000),
}

/** `/_mock/webhooks`: the webhook settings and deliveries. */
export function webhookControls({ webhooks }: Provider) {
  const describe = () => ({ ...webhooks.config, pending: webhooks.pending, deliveries: webhooks.deliveries })
  return new Elysia({ name: 'mock-idp/control/webhooks' })
    .get('/_mock/webhooks', describe)
    .put(
      '/_mock/webhooks',
      async ({ request }) => {
        webhooks.configure(await readInput(request, webhookShape))
        return describe()
      },
      { parse: 'none' },
    )
    .post(
      '/_mock/webhooks/flush',
      async ({ request }) => {
        await readInput(request, {})
        return { deliveries: await webhooks.flush(), pending: webhooks.pending }
      },
      { parse: 'none' },
    )
}
