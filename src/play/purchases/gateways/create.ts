import type { PaymentsConfig } from '../../../platform/config/payments.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import type { StripeGateway, StripeOptions } from './stripe.ts'

/** Null: packs can be paid with points only. */
export type Payments = Sandbox | StripeGateway | null

/** `secret` keys the sandbox's receipts. */
export async function createPayments(
  config: PaymentsConfig,
  secret: string,
  options: StripeOptions = {},
): Promise<Payments> {
  if (config.gateway === 'off') return null
  if (config.gateway === 'sandbox') return createSandbox(secret)
  // Stripe's package is large and is loaded only if it is used.
  const { createStripeGateway } = await import('./stripe.ts')
  return createStripeGateway(config, options)
}
