/** A server on the loopback that answers as Stripe's API reference documents, and signs events as Stripe does. */
import { afterAll, afterEach } from 'bun:test'
import { createHmac } from 'node:crypto'

export const SECRET_KEY = 'sk_test_51FakeKeyOfNoAccountAtAll'
const WEBHOOK_SECRET = 'whsec_fake_secret_of_no_account'

/** The members of a PaymentIntent that Stripe always sends and that matter to somebody who takes a payment. */
export interface Intent {
  id: string
  object: 'payment_intent'
  amount: number
  amount_received: number
  cancellation_reason: string | null
  client_secret: string
  /** Seconds. */
  created: number
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

/** The members of a Checkout Session that Stripe always sends and that matter to somebody who takes a payment. */
export interface Session {
  id: string
  object: 'checkout.session'
  amount_total: number
  client_reference_id: string | null
  currency: string
  expires_at: number
  livemode: false
  metadata: Record<string, string>
  mode: 'payment'
  payment_intent: string | null
  payment_status: 'unpaid' | 'paid'
  status: 'open' | 'complete' | 'expired'
  url: string | null
}

interface Refund {
  id: string
  object: 'refund'
  amount: number
  charge: string | null
  /** Seconds. */
  created: number
  currency: string
  payment_intent: string
  status: 'pending' | 'succeeded' | 'failed' | 'canceled'
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
  /** Text is an HTML page. */
  body: unknown
  headers?: Record<string, string>
}

/** `hang`: takes the request and never answers. */
export type Outage = 'hang' | Reply

export interface StripeServer {
  env: Record<string, string>
  asked: Asked[]
  intents: Map<string, Intent>
  sessions: Map<string, Session>
  /** By intent; further ones of an intent have names of their own. */
  refunds: Map<string, Refund>
  /** Milliseconds, by which Stripe dates what it makes. */
  now: () => number
  /** Response to every request, until it is null again. */
  outage: Outage | null
  /** The fan pays; `facts` in place of what Stripe would say. */
  pay(intentId: string, facts?: Partial<Intent>): Intent
  /** The fan pays on the page of a session: with a card, or (`processing`) with a method that takes days. */
  paySession(sessionId: string, status?: 'succeeded' | 'processing'): Session
  /** A refund of a succeeded intent in Stripe's dashboard: the intent stays `succeeded`, its charge has the amount. */
  refundInDashboard(intentId: string, amount: number): void
  /** An intent that somebody else made. */
  makeIntent(facts: Partial<Intent>): Intent
  /** Simulates a day: Stripe may forget keys that are older than 24 hours. */
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
  /** By session. */
  const metadataOfIntents = new Map<string, Record<string, string>>()
  let made = 0
  const seconds = () => Math.floor(server.now() / 1000)

  const makeIntent = (facts: Partial<Intent>): Intent => {
    const id = facts.id ?? `pi_3Fake${String(++made).padStart(6, '0')}`
    const intent: Intent = {
      id,
      object: 'payment_intent',
      amount: 0,
      amount_received: 0,
      cancellation_reason: null,
      created: seconds(),
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
    if (charges.get(intent.latest_charge ?? '')?.refunded ?? server.refunds.has(intent.id)) {
      const message = `Charge ${intent.latest_charge} has already been refunded.`
      return errorReply(400, 'invalid_request_error', 'charge_already_refunded', message)
    }
    const paid = charges.get(intent.latest_charge ?? '')
    const left = intent.amount_received - (paid?.amount_refunded ?? 0)
    const amount = Number(form.amount ?? left)
    if (amount > left) {
      const message = `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`
      return errorReply(400, 'invalid_request_error', null, message)
    }
    return { status: 200, body: makeRefund(intent, amount) }
  }

  function makeRefund(intent: Intent, amount: number): Refund {
    const { currency, latest_charge: charge } = intent
    const id = `re_3Fake${String(++made).padStart(6, '0')}`
    const about = { amount, currency, charge, created: seconds(), payment_intent: intent.id }
    const refund: Refund = { id, object: 'refund', ...about, status: 'succeeded' }
    server.refunds.set(server.refunds.has(intent.id) ? `${intent.id} ${id}` : intent.id, refund)
    const paid = charges.get(charge ?? '')
    if (paid) {
      paid.amount_refunded += amount
      paid.refunded = paid.amount_refunded === paid.amount
    }
    return refund
  }

  function createSession(form: Record<string, string>): Reply {
    const expiresAt = Number(form.expires_at)
    const ahead = expiresAt - seconds()
    if (ahead < 30 * 60 || ahead > 24 * 3600) {
      const message = '`expires_at` must be between 30 minutes and 24 hours from Checkout Session creation.'
      return errorReply(400, 'invalid_request_error', null, message)
    }
    const amount = Number(form['line_items[0][price_data][unit_amount]'])
    if (amount < 50) {
      const message = 'The Checkout Session’s total amount must convert to at least 50 cents.'
      return errorReply(400, 'invalid_request_error', 'amount_too_small', message)
    }
    const id = `cs_test_Fake${String(++made).padStart(6, '0')}`
    const session: Session = {
      id,
      object: 'checkout.session',
      amount_total: amount,
      client_reference_id: form.client_reference_id ?? null,
      currency: form['line_items[0][price_data][currency]'] ?? '',
      expires_at: expiresAt,
      livemode: false,
      metadata: { purchaseId: form['metadata[purchaseId]'] ?? '' },
      mode: 'payment',
      payment_intent: null,
      payment_status: 'unpaid',
      status: 'open',
      url: `https://checkout.stripe.com/c/pay/${id}`,
    }
    metadataOfIntents.set(id, { purchaseId: form['payment_intent_data[metadata][purchaseId]'] ?? '' })
    server.sessions.set(id, session)
    return { status: 200, body: session }
  }

  function expireSession(session: Session): Reply {
    if (session.status !== 'open') {
      const message = `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`
      return errorReply(400, 'invalid_request_error', null, message)
    }
    return { status: 200, body: Object.assign(session, { status: 'expired', url: null }) }
  }

  /** As in Stripe's lists: newest first, `created[gte]`, `limit`, `starting_after`. */
  function list<T extends { id: string; created: number }>(all: Iterable<T>, query: URLSearchParams): Reply {
    const since = Number(query.get('created[gte]') ?? 0)
    const limit = Number(query.get('limit') ?? 10)
    const rows = [...all].filter(({ created }) => created >= since).reverse()
    const after = query.get('starting_after')
    const from = after === null ? 0 : rows.findIndex(({ id }) => id === after) + 1
    const data = rows.slice(from, from + limit)
    return { status: 200, body: { object: 'list', data, has_more: from + limit < rows.length, url: '/v1' } }
  }

  function cancelIntent(intent: Intent, reason: string | null): Reply {
    if (['succeeded', 'processing', 'canceled'].includes(intent.status)) {
      const message = `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`
      return errorReply(400, 'invalid_request_error', 'payment_intent_unexpected_state', message)
    }
    return {
      status: 200,
      body: Object.assign(intent, { status: 'canceled' as const, cancellation_reason: reason }),
    }
  }

  function missing(id: string, kind = 'payment_intent'): Reply {
    return errorReply(404, 'invalid_request_error', 'resource_missing', `No such ${kind}: '${id}'`)
  }

  /** `latest_charge` is an id unless the request expands it. */
  const presentIntent = (intent: Intent, expand: string[]) =>
    expand.includes('latest_charge') && intent.latest_charge
      ? { ...intent, latest_charge: charges.get(intent.latest_charge) ?? intent.latest_charge }
      : intent

  function presentSession(session: Session, expand: string[]) {
    const intent = server.intents.get(session.payment_intent ?? '')
    return intent && expand.includes('payment_intent.latest_charge')
      ? { ...session, payment_intent: presentIntent(intent, ['latest_charge']) }
      : session
  }

  function answerOfSessions({ method, path, form }: Asked, expand: string[]): Reply {
    const [, id, action] = /^\/v1\/checkout\/sessions(?:\/(\w+)(\/expire)?)?$/.exec(path) ?? []
    if (!id) return createSession(form)
    const session = server.sessions.get(id)
    if (!session) return missing(id, 'checkout.session')
    if (method === 'POST' && action) return expireSession(session)
    return { status: 200, body: presentSession(session, expand) }
  }

  function answer(asked: Asked, expand: string[], query: URLSearchParams): Reply {
    const { method, path, form } = asked
    if (path.startsWith('/v1/checkout/sessions')) return answerOfSessions(asked, expand)
    if (method === 'GET' && path === '/v1/payment_intents') return list(server.intents.values(), query)
    if (method === 'GET' && path === '/v1/refunds') {
      const of = query.get('payment_intent')
      const refunds = [...server.refunds.values()]
      const wanted = of === null ? refunds : refunds.filter(({ payment_intent }) => payment_intent === of)
      const isWhole = expand.includes('data.payment_intent')
      const show = (refund: Refund) =>
        isWhole ? { ...refund, payment_intent: server.intents.get(refund.payment_intent) ?? null } : refund
      return list(wanted.map(show), query)
    }
    if (method === 'POST' && path === '/v1/payment_intents') return createIntent(form)
    if (method === 'POST' && path === '/v1/refunds') return createRefund(form)
    const [, id, action] = /^\/v1\/payment_intents\/(\w+)(\/cancel)?$/.exec(path) ?? []
    const intent = server.intents.get(id ?? '')
    if (method === 'POST' && id && action)
      return intent ? cancelIntent(intent, form.cancellation_reason ?? null) : missing(id)
    if (method === 'GET' && id)
      return intent ? { status: 200, body: presentIntent(intent, expand) } : missing(id)
    return errorReply(404, 'invalid_request_error', null, `Unrecognized request URL (${method}: ${path}).`)
  }

  /** The first answer again for the same key and parameters; other parameters under one key are refused. */
  function answerOnce(asked: Asked, query: URLSearchParams): Reply {
    const expand = expandedBy(query)
    const { idempotencyKey: key, form, path, authorization } = asked
    if (authorization !== `Bearer ${SECRET_KEY}`) {
      return errorReply(401, 'invalid_request_error', null, `Invalid API Key provided: ${authorization}`)
    }
    if (!key) return answer(asked, expand, query)
    const question = JSON.stringify([path, form])
    const before = remembered.get(key)
    if (before && before.question !== question) {
      const message = 'Keys for idempotent requests can only be used with the same parameters.'
      return errorReply(400, 'idempotency_error', null, message)
    }
    // A snapshot: what is replayed is what was said then.
    const reply = before?.reply ?? structuredClone(answer(asked, expand, query))
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
      const { status, body, headers } = server.outage ?? answerOnce(asked, searchParams)
      if (typeof body === 'string')
        return new Response(body, { status, headers: { 'content-type': 'text/html' } })
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
    sessions: new Map(),
    refunds: new Map(),
    now: () => Date.now(),
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
    paySession(sessionId, status = 'succeeded') {
      const session = server.sessions.get(sessionId)
      if (session?.status !== 'open') throw new Error(`the page of ${sessionId} takes no payment`)
      const { amount_total: amount, currency } = session
      const intent = makeIntent({
        amount,
        currency,
        metadata: metadataOfIntents.get(sessionId) ?? {},
        status,
      })
      if (status === 'succeeded') server.pay(intent.id)
      const paid = status === 'succeeded' ? ('paid' as const) : ('unpaid' as const)
      const complete = { status: 'complete' as const, url: null, payment_intent: intent.id }
      return Object.assign(session, complete, { payment_status: paid })
    },
    refundInDashboard(intentId, amount) {
      const intent = server.intents.get(intentId)
      if (!intent?.latest_charge) throw new Error(`nothing was charged for ${intentId}`)
      makeRefund(intent, amount)
    },
    deleteKeysOf: () => remembered.clear(),
    stop: () => listening.stop(true),
  }
  return server
}

/** `expand[]=NAME`, or `expand[0]=NAME` as Stripe's package writes it. */
const expandedBy = (query: URLSearchParams) =>
  [...query].filter(([name]) => /^expand\[\d*\]$/.test(name)).map(([, value]) => value)

/** An event as Stripe sends it: a snapshot of the intent or session. */
export const eventOf = (object: Intent | Session, type = 'payment_intent.succeeded') => ({
  id: `evt_${object.id}`,
  object: 'event',
  api_version: '2026-01-28.clover',
  created: 1_786_818_600,
  data: { object: structuredClone(object) },
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

/** Stripe for the tests of a file. What it refuses is forgotten after each of them. */
export function useStripe(): StripeServer {
  const stripe = startStripe()
  afterAll(() => stripe.stop())
  afterEach(() => {
    stripe.outage = null
  })
  return stripe
}
