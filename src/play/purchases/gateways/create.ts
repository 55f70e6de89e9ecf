import { type AppSources, realSources } from '../../../core/sources.ts'
import { createGuardedFetch, type GuardedFetch } from '../../../core/ssrf-guard.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { AppleGateway } from './apple.ts'
import { isStore, type PaymentGateway } from './gateway.ts'
import type { GoogleGateway } from './google.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import type { StripeGateway, StripeOptions } from './stripe.ts'

/** The gateways in use. Without any, only points are accepted. */
export interface Payments {
  sandbox?: Sandbox
  stripe?: StripeGateway
  apple?: AppleGateway
  google?: GoogleGateway
}

interface PaymentOptions extends StripeOptions {
  /** Wraps a `fetch`, such as for tracing. */
  trace?: (target: string, fetch: GuardedFetch) => GuardedFetch
  now?: AppSources['now']
}

/** `secret` signs the receipts of the sandbox. The packages of gateways are large, so only gateways in use are loaded. */
export async function createPayments(
  { payments, stores, production }: Pick<Config, 'payments' | 'stores' | 'production'>,
  secret: string,
  options: PaymentOptions = {},
): Promise<Payments> {
  const created: Payments = {}
  if (payments.gateway === 'sandbox') created.sandbox = createSandbox(secret)
  if (payments.gateway === 'stripe')
    created.stripe = (await import('./stripe.ts')).createStripeGateway(payments, options)
  if (stores.apple) created.apple = (await import('./apple.ts')).createAppleGateway(stores.apple)
  if (stores.google) {
    const { createGoogleGateway } = await import('./google.ts')
    const guarded = createGuardedFetch({ publicOnly: production })
    const { log, now = realSources.now, trace = (_, fetch) => fetch } = options
    created.google = createGoogleGateway(stores.google, { fetch: trace('google-play', guarded), log, now })
  }
  return created
}

const gatewaysOf = ({ stripe, sandbox, apple, google }: Payments): PaymentGateway[] =>
  [stripe, sandbox, apple, google].filter(gateway => gateway !== undefined)

/** The gateway that `PAYMENT_GATEWAY` selects. */
export const defaultGateway = ({ stripe, sandbox }: Payments): PaymentGateway | undefined => stripe ?? sandbox

/** The gateway that received this payment. */
export const findGateway = (payments: Payments, reference: string): PaymentGateway | undefined =>
  gatewaysOf(payments).find(gateway => gateway.recognizes(reference))

/** Whether a store of a mobile platform took this payment. */
export function isStorePayment(payments: Payments, reference: string): boolean {
  const gateway = findGateway(payments, reference)
  return gateway !== undefined && isStore(gateway)
}

/** Prevents the payment with every gateway. @throws DomainError `payment_gateway_unavailable` */
export const cancelWithAll = (payments: Payments, charge: Parameters<PaymentGateway['cancel']>[0]) =>
  Promise.all(gatewaysOf(payments).map(gateway => gateway.cancel(charge)))
