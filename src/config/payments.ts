import type { Reader } from './reader.ts'

/** How packs with a price in money are paid. */
export type PaymentsConfig =
  /** Only packs priced in points can be bought. */
  | { gateway: 'off' }
  /** Receipts of our own; development only. */
  | { gateway: 'sandbox' }
  | {
      gateway: 'stripe'
      secretKey: string
      webhookSecret: string
      /** Instead of api.stripe.com, such as `http://localhost:12111`; development only. */
      apiBase: string | null
    }

export function readPaymentsConfig(reader: Reader): PaymentsConfig {
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
  const apiBase = reader.text('STRIPE_API_BASE') ?? null
  if (apiBase !== null && (reader.production || !URL.canParse(apiBase))) {
    reader.refuse('STRIPE_API_BASE', 'must be a URL, and is not for production')
  }
  return {
    gateway,
    secretKey: readSecret(
      reader,
      'STRIPE_SECRET_KEY',
      /^(sk|rk)_\w+$/,
      'a secret key of Stripe (sk_… or rk_…)',
    ),
    webhookSecret: readSecret(
      reader,
      'STRIPE_WEBHOOK_SECRET',
      /^whsec_\S+$/,
      'a signing secret of Stripe (whsec_…)',
    ),
    apiBase,
  }
}

function readSecret(reader: Reader, name: string, pattern: RegExp, noun: string): string {
  const value = reader.text(name) ?? ''
  if (!pattern.test(value)) reader.refuse(name, `must be ${noun}`)
  return value
}
