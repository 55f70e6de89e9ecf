import type { Config } from '../../../platform/config/config.ts'
import type { AppleGateway } from './apple.ts'
import type { PaymentGateway } from './gateway.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import type { StripeGateway, StripeOptions } from './stripe.ts'

/** The gateways in use. None: only points are accepted. */
export interface Payments {
  sandbox?: Sandbox
  stripe?: StripeGateway
  apple?: AppleGateway
}

/** `secret` keys the sandbox's receipts. Packages of gateways are large: only those in use are loaded. */
export async function createPayments(
  { payments, stores }: Pick<Config, 'payments' | 'stores'>,
  secret: string,
  options: StripeOptions = {},
): Promise<Payments> {
  const created: Payments = {}
  if (payments.gateway === 'sandbox') created.sandbox = createSandbox(secret)
  if (payments.gateway === 'stripe')
    created.stripe = (await import('./stripe.ts')).createStripeGateway(payments, options)
  if (stores.apple) created.apple = (await import('./apple.ts')).createAppleGateway(stores.apple)
  return created
}

const gatewaysOf = ({ stripe, sandbox, apple }: Payments): PaymentGateway[] =>
  [stripe, sandbox, apple].filter(gateway => gateway !== undefined)

/** The gateway that `PAYMENT_GATEWAY` selects. */
export const defaultGateway = ({ stripe, sandbox }: Payments): PaymentGateway | undefined => stripe ?? sandbox

/** The gateway that received this payment. */
export const findGateway = (payments: Payments, reference: string): PaymentGateway | undefined =>
  gatewaysOf(payments).find(gateway => gateway.recognizes(reference))

/** Makes the payment impossible with every gateway. @throws DomainError `payment_gateway_unavailable` */
export const cancelWithAll = (payments: Payments, charge: Parameters<PaymentGateway['cancel']>[0]) =>
  Promise.all(gatewaysOf(payments).map(gateway => gateway.cancel(charge)))
