import { CURRENCIES } from '../../core/currencies.ts'
import type { EnvironmentReader } from './environment.ts'

/** The payment gateway for packs with a price in money. */
export type PaymentsConfig =
  /** Only packs priced in points can be bought. */
  | { gateway: 'off' }
  /** Simulated payments; development only. */
  | { gateway: 'sandbox' }
  | StripeConfig

export interface StripeConfig {
  gateway: 'stripe'
  secretKey: string
  webhookSecret: string
  /** Replaces api.stripe.com, such as `http://localhost:12111`; development only. */
  apiBase: string | null
  /** Where Stripe's page sends the fan; null: the fan pays in the app, with a PaymentIntent. */
  checkout: { successUrl: string; cancelUrl: string } | null
}

export const readPaymentsConfig = (reader: EnvironmentReader): Readonly<PaymentsConfig> =>
  Object.freeze(read(reader))

function read(reader: EnvironmentReader): PaymentsConfig {
  const gateway = reader.oneOf(
    'PAYMENT_GATEWAY',
    reader.production ? ['off', 'stripe', 'sandbox'] : ['sandbox', 'stripe', 'off'],
  )
  if (gateway === 'off') return { gateway }
  if (gateway === 'sandbox') {
    if (reader.production)
      reader.refuse('PAYMENT_GATEWAY', 'must not be sandbox in production: it takes no money')
    return { gateway }
  }
  const secret = (name: string, pattern: RegExp, noun: string) => {
    const value = reader.secret(name) ?? ''
    if (!pattern.test(value)) reader.refuse(name, `must be ${noun}`)
    return value
  }
  return {
    gateway,
    secretKey: secret('STRIPE_SECRET_KEY', /^(sk|rk)_\w+$/, 'a secret key of Stripe (sk_… or rk_…)'),
    webhookSecret: secret('STRIPE_WEBHOOK_SECRET', /^whsec_\S+$/, 'a signing secret of Stripe (whsec_…)'),
    apiBase: readApiBase(reader),
    checkout: readCheckout(reader),
  }
}

function readCheckout(reader: EnvironmentReader): StripeConfig['checkout'] {
  const page = (name: string) => {
    const value = reader.text(name) ?? ''
    const url = URL.parse(value)
    const isWeb =
      url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && !reader.production))
    if (!isWeb || url.username || url.password)
      reader.refuse(
        name,
        `must be an ${reader.production ? 'https' : 'http or https'} URL without credentials`,
      )
    return value
  }
  if (reader.oneOf('STRIPE_CLIENT', ['payment_intents', 'checkout_sessions']) === 'payment_intents')
    return null
  return Object.freeze({ successUrl: page('STRIPE_SUCCESS_URL'), cancelUrl: page('STRIPE_CANCEL_URL') })
}

function readApiBase(reader: EnvironmentReader): string | null {
  const value = reader.text('STRIPE_API_BASE')
  if (value === undefined) return null
  if (reader.production) {
    reader.refuse(
      'STRIPE_API_BASE',
      'must not be set in production: the secret key would be sent to another host',
    )
  } else if (!isOrigin(value)) {
    reader.refuse(
      'STRIPE_API_BASE',
      'must be http:// or https://, a host and optionally a port, without a path',
    )
  }
  return value
}

/** The Stripe library accepts a host and port, and would silently drop a path. */
function isOrigin(text: string): boolean {
  if (!/^https?:/.test(text) || !URL.canParse(text)) return false
  const { href, origin } = new URL(text)
  return href === `${origin}/`
}

export function readCashCurrencies(reader: EnvironmentReader): readonly string[] {
  const currencies = [...new Set(reader.list('CASH_CURRENCIES', ','))]
  if (currencies.some(currency => !CURRENCIES.has(currency)))
    reader.refuse('CASH_CURRENCIES', 'must be currencies of ISO 4217, such as EUR,GBP')
  return Object.freeze(currencies)
}
