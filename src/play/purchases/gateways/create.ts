import type { PaymentsConfig } from '../../../platform/config/payments.ts'
import type { PaymentGateway } from './gateway.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import type { StripeGateway, StripeOptions } from './stripe.ts'

/** The gateways in use. None: only points are accepted. */
export interface Payments {
  sandbox?: Sandbox
  stripe?: StripeGateway
}

/** `secret` keys the sandbox's receipts. */
export async function createPayments(
  config: PaymentsConfig,
  secret: string,
  options: StripeOptions = {},
): Promise<Payments> {
  if (config.gateway === 'off') return {}
  if (config.gateway === 'sandbox') return { sandbox: createSandbox(secret) }
  // Stripe's package is large and is loaded only if it is used.
  const { createStripeGateway } = await import('./stripe.ts')
  return { stripe: createStripeGateway(config, options) }
}

const gatewaysOf = ({ stripe, sandbox }: Payments): PaymentGateway[] =>
  [stripe, sandbox].filter(gateway => gateway !== undefined)

/** The gateway that `PAYMENT_GATEWAY` selects. */
export const defaultGateway = ({ stripe, sandbox }: Payments): PaymentGateway | undefined => stripe ?? sandbox

/** The gateway that received this payment. */
export const findGateway = (payments: Payments, reference: string): PaymentGateway | undefined =>
  gatewaysOf(payments).find(gateway => gateway.recognizes(reference))

/** Makes the payment impossible with every gateway. @throws DomainError `payment_gateway_unavailable` */
export const cancelWithAll = (payments: Payments, charge: Parameters<PaymentGateway['cancel']>[0]) =>
  Promise.all(gatewaysOf(payments).map(gateway => gateway.cancel(charge)))
