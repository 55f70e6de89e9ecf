/** A server on the loopback that answers as Stripe's API reference documents, and signs events as Stripe does. */
import { createHmac } from 'node:crypto'

export const SECRET_KEY = 'sk_test_51FakeKeyOfNoAccountAtAll'
const WEBHOOK_SECRET = 'whsec_fake_secret_of_no_account'

/** The members of a PaymentIntent that Stripe always sends and that matter to somebody who takes a payment. */
export interface Intent {
  id: string
  object: 'payment_intent'
  amount: number
  amount_received: number
  client_secret: string
  currency: string
  latest_charge: string | null
  last_payment_error: object | null
  livemode: false
  metadata: Record<string, string>
  status:
    | 'requires_payment_method'
    | 'requires_action'
    | 'processing'
    | 'requires_capture'
    | 'canceled'
    | 'succeeded'
}

/** The members of a Charge that say what was refunded of it. */
interface Charge {
  id: string
  object: 'charge'
  amount: number
  amount_refunded: number
  refunded: boolean
}

interface Asked {
  method: string
  path: string
  authorization: string | null
  idempotencyKey: string | null
  form: Record<string, string>
}

interface Reply {
  status: number
  body: unknown
  headers?: Record<string, string>
}

/** `hang`: takes the request and never answers. */
export type Outage = 'hang' | Reply

export interface StripeServer {
  env: Record<string, string>
  asked: Asked[]
  intents: Map<string, Intent>
  /** By intent. */
  refunds: Map<string, object>
  /** How every request is answered until it is null again. */
  outage: Outage | null
  /** The fan pays; `facts` in place of what Stripe would say. */
  pay(intentId: string, facts?: Partial<Intent>): Intent
  /** A refund of a succeeded intent in Stripe's dashboard: the intent stays `succeeded`, its charge has the amount. */
  refundInDashboard(intentId: string, amount: number): void
  /** An intent that somebody else made. */
  makeIntent(facts: Partial<Intent>): Intent
  /** What a day does: Stripe may forget keys that are older than 24 hours. */
  deleteKeysOf(): void
  stop(): Promise<void>
}

export const errorReply = (status: number, type: string, code: string | null, message: string): Reply => ({
  status,
  body: {
    error: { type, ...(code ? { code } : {}), message, doc_url: 'https://stripe.com/docs/error-codes' },
  },
  headers: { 'stripe-should-retry': 'false' },
})

export function startStripe(): StripeServer {
  /** By id. */
  const charges = new Map<string, Charge>()
  const remembered = new Map<string, { question: string; reply: Reply }>()
  let made = 0

  const makeIntent = (facts: Partial<Intent>): Intent => {
    const id = facts.id ?? `pi_3Fake${String(++made).padStart(6, '0')}`
    const intent: Intent = {
      id,
      object: 'payment_intent',
      amount: 0,
      amount_received: 0,
      client_secret: `${id}_secret_fake`,
      currency: 'eur',
      latest_charge: null,
      last_payment_error: null,
      livemode: false,
      metadata: {},
      status: 'requires_payment_method',
      ...facts,
    }
    server.intents.set(id, intent)
    return intent
  }

  function createIntent(form: Record<string, string>): Reply {
    const amount = Number(form.amount)
    if (amount < 50) {
      return errorReply(400, 'invalid_request_error', 'amount_too_small', 'Amount must be at least €0.50 eur')
    }
    const metadata = { purchaseId: form['metadata[purchaseId]'] ?? '' }
    return { status: 200, body: makeIntent({ amount, currency: form.currency, metadata }) }
  }

  function createRefund(form: Record<string, string>): Reply {
    const intent = server.intents.get(form.payment_intent ?? '')
    if (!intent) return missing(form.payment_intent ?? '')
    if (server.refunds.has(intent.id)) {
      const message = `Charge ${intent.latest_charge} has already been refunded.`
      return errorReply(400, 'invalid_request_error', 'charge_already_refunded', message)
    }
    const { amount, currency, latest_charge: charge } = intent
    const id = `re_3Fake${String(++made).padStart(6, '0')}`
    const refund = {
      id,
      object: 'refund',
      amount,
      currency,
      charge,
      payment_intent: intent.id,
      status: 'succeeded',
    }
    server.refunds.set(intent.id, refund)
    return { status: 200, body: refund }
  }

  function cancelIntent(intent: Intent): Reply {
    if (['succeeded', 'processing', 'canceled'].includes(intent.status)) {
      const message = `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`
      return errorReply(400, 'invalid_request_error', 'payment_intent_unexpected_state', message)
    }
    return { status: 200, body: Object.assign(intent, { status: 'canceled' as const }) }
  }

  function missing(id: string): Reply {
    return errorReply(404, 'invalid_request_error', 'resource_missing', `No such payment_intent: '${id}'`)
  }

  /** `latest_charge` is an id unless the request expands it. */
  const presentIntent = (intent: Intent, expand: string[]) =>
    expand.includes('latest_charge') && intent.latest_charge
      ? { ...intent, latest_charge: charges.get(intent.latest_charge) ?? intent.latest_charge }
      : intent

  function answer({ method, path, form }: Asked, expand: string[]): Reply {
    if (method === 'POST' && path === '/v1/payment_intents') return createIntent(form)
    if (method === 'POST' && path === '/v1/refunds') return createRefund(form)
    const [, id, action] = /^\/v1\/payment_intents\/(\w+)(\/cancel)?$/.exec(path) ?? []
    const intent = server.intents.get(id ?? '')
    if (method === 'POST' && id && action) return intent ? cancelIntent(intent) : missing(id)
    if (method === 'GET' && id)
      return intent ? { status: 200, body: presentIntent(intent, expand) } : missing(id)
    return errorReply(404, 'invalid_request_error', null, `Unrecognized request URL (${method}: ${path}).`)
  }

  /** The first answer again for the same key and parameters; other parameters under one key are refused. */
  function answerOnce(asked: Asked, expand: string[]): Reply {
    const { idempotencyKey: key, form, path, authorization } = asked
    if (authorization !== `Bearer ${SECRET_KEY}`) {
      return errorReply(401, 'invalid_request_error', null, `Invalid API Key provided: ${authorization}`)
    }
    if (!key) return answer(asked, expand)
    const question = JSON.stringify([path, form])
    const before = remembered.get(key)
    if (before && before.question !== question) {
      const message = 'Keys for idempotent requests can only be used with the same parameters.'
      return errorReply(400, 'idempotency_error', null, message)
    }
    // A snapshot: what is replayed is what was said then.
    const reply = before?.reply ?? structuredClone(answer(asked, expand))
    remembered.set(key, { question, reply })
    return before ? { ...reply, headers: { ...reply.headers, 'idempotent-replayed': 'true' } } : reply
  }

  const listening = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const asked: Asked = {
        method: request.method,
        path: pathname,
        authorization: request.headers.get('authorization'),
        idempotencyKey: request.headers.get('idempotency-key'),
        form: Object.fromEntries(new URLSearchParams(await request.text())),
      }
      server.asked.push(asked)
      if (server.outage === 'hang') return new Promise<Response>(() => {})
      const { status, body, headers } = server.outage ?? answerOnce(asked, expandedBy(searchParams))
      return Response.json(body, { status, headers: { 'request-id': 'req_fake', ...headers } })
    },
  })

  const server: StripeServer = {
    env: {
      PAYMENT_GATEWAY: 'stripe',
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_BASE: `http://127.0.0.1:${listening.port}`,
    },
    asked: [],
    intents: new Map(),
    refunds: new Map(),
    outage: null,
    makeIntent,
    pay(intentId, facts = {}) {
      const intent = server.intents.get(intentId)
      if (!intent) throw new Error(`no intent ${intentId}`)
      const id = intentId.replace('pi_', 'ch_')
      charges.set(id, { id, object: 'charge', amount: intent.amount, amount_refunded: 0, refunded: false })
      const paid = { status: 'succeeded' as const, amount_received: intent.amount, latest_charge: id }
      return Object.assign(intent, paid, facts)
    },
    refundInDashboard(intentId, amount) {
      const charge = charges.get(server.intents.get(intentId)?.latest_charge ?? '')
      if (!charge) throw new Error(`nothing was charged for ${intentId}`)
      charge.amount_refunded += amount
      charge.refunded = charge.amount_refunded === charge.amount
    },
    deleteKeysOf: () => remembered.clear(),
    stop: () => listening.stop(true),
  }
  return server
}

/** `expand[]=NAME`, or `expand[0]=NAME` as Stripe's package writes it. */
const expandedBy = (query: URLSearchParams) =>
  [...query].filter(([name]) => /^expand\[\d*\]$/.test(name)).map(([, value]) => value)

/** An event as Stripe sends it: a snapshot of the intent. */
export const eventOf = (intent: Intent, type = 'payment_intent.succeeded') => ({
  id: `evt_${intent.id}`,
  object: 'event',
  api_version: '2026-01-28.clover',
  created: 1_786_818_600,
  data: { object: structuredClone(intent) },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
})

/** `Stripe-Signature`: HMAC-SHA-256, in hex, over the time in seconds, a dot, and the body. */
export function signEvent(body: string, atMs: number, secret = WEBHOOK_SECRET): string {
  const seconds = Math.floor(atMs / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}
