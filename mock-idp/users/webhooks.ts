import { randomBytes, randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Clock } from '../clock.ts'
import { presentUser, type User } from './user.ts'

export const webhookModes = ['normal', 'duplicate', 'reordered', 'delayed', 'paused'] as const
type WebhookMode = (typeof webhookModes)[number]
export type WebhookType = 'user.updated' | 'user.deleted'

export interface WebhookConfig {
  /** Where events are delivered; null: events are dropped. */
  url: string | null
  /** `whsec_` and base64 of 24 to 64 bytes (Standard Webhooks §signature scheme). */
  secret: string
  mode: WebhookMode
  /** How long the mode `delayed` holds a delivery, by the provider's clock. */
  delayMs: number
}

/** One logged delivery attempt. */
export interface Delivery {
  /** The `webhook-id` header: the same for every attempt and duplicate of an event. */
  webhookId: string
  type: WebhookType
  sub: string
  /** ISO 8601, by the provider's clock. */
  at: string
  url: string
  /** The status of the receiver's response; null when it was not reached. */
  status: number | null
  delivered: boolean
}

interface Event {
  id: string
  type: WebhookType
  sub: string
  payload: string
  dueAt: number
  failed: boolean
}

export interface WebhooksOptions {
  issuer: string
  clock: Clock
  fetch: typeof fetch
  log: (line: string) => void
  initial?: Partial<WebhookConfig>
}

/** A receiver keeps the claims that an event omits, so an event sends null for claims that the user lacks. */
const NO_VALUES = { name: null, email: null, email_verified: null }

const timeoutMs = 5000
const capacity = 200

/** Sends user events by Standard Webhooks, with the delivery problems that the mode selects. */
export class Webhooks {
  readonly #options: WebhooksOptions
  readonly #initial: WebhookConfig
  #config: WebhookConfig
  #queue: Event[] = []
  #deliveries: Delivery[] = []
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()

  constructor(options: WebhooksOptions) {
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    this.#options = options
    this.#initial = { url: null, secret, mode: 'normal', delayMs: 5000, ...options.initial }
    this.#config = { ...this.#initial }
  }

  get config(): WebhookConfig {
    return { ...this.#config }
  }

  get pending(): number {
    return this.#queue.length
  }

  /** The last 200 attempts, oldest first. */
  get deliveries(): Delivery[] {
    return [...this.#deliveries]
  }

  configure(changes: Partial<WebhookConfig>): void {
    this.#config = { ...this.#config, ...changes }
  }

  /** Publishes an event. Resolves once it is delivered, queued after a failure, or held by the mode. */
  async publish(type: WebhookType, user: User): Promise<void> {
    const { issuer, clock } = this.#options
    const { url, mode, delayMs } = this.#config
    if (url === null) return
    const timestamp = new Date(clock.now()).toISOString()
    const data = { iss: issuer, ...NO_VALUES, ...presentUser(user, issuer) }
    const payload = JSON.stringify({ type, timestamp, data })
    const dueAt = mode === 'delayed' ? clock.now() + delayMs : Number.POSITIVE_INFINITY
    const event: Event = { id: `msg_${randomUUID()}`, type, sub: user.sub, payload, dueAt, failed: false }
    if (mode === 'normal' || mode === 'duplicate') {
      await this.#deliver([event])
      return
    }
    this.#queue.push(event)
    if (mode === 'delayed') this.#deliverLater(delayMs)
    if (mode === 'reordered' && this.#queue.filter(({ failed }) => !failed).length >= 2)
      await this.#deliver(this.#dequeue())
  }

  /** Delivers every queued event, failed ones included, and returns the attempts. */
  flush(): Promise<Delivery[]> {
    return this.#deliver(this.#dequeue())
  }

  /** Delivers the events whose delay has passed. Call it after advancing the clock. */
  deliverDue(): Promise<Delivery[]> {
    const now = this.#options.clock.now()
    return this.#deliver(this.#dequeue(({ dueAt, failed }) => !failed && dueAt <= now))
  }

  /** Restores the initial settings and empties the queue and the log. */
  reset(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    this.#config = { ...this.#initial }
    this.#queue = []
    this.#deliveries = []
  }

  #dequeue(matches: (event: Event) => boolean = () => true): Event[] {
    const taken = this.#queue.filter(matches)
    this.#queue = this.#queue.filter(event => !taken.includes(event))
    return this.#config.mode === 'reordered' ? taken.reverse() : taken
  }

  #deliverLater(ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      void this.deliverDue()
    }, ms)
    timer.unref()
    this.#timers.add(timer)
  }

  async #deliver(events: Event[]): Promise<Delivery[]> {
    const results: Delivery[] = []
    for (const event of events) {
      const first = await this.#attempt(event)
      const attempts = this.#config.mode === 'duplicate' ? [first, await this.#attempt(event)] : [first]
      results.push(...attempts)
      if (!attempts.some(({ delivered }) => delivered)) this.#queue.push({ ...event, failed: true })
    }
    return results
  }

  async #attempt({ id, type, sub, payload }: Event): Promise<Delivery> {
    const { clock, log } = this.#options
    const url = this.#config.url ?? ''
    const now = new Date(Math.floor(clock.now() / 1000) * 1000)
    const status = await this.#send(url, payload, {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(now.getTime() / 1000),
      'webhook-signature': new Webhook(this.#config.secret).sign(id, now, payload),
    })
    const delivered = status !== null && status >= 200 && status < 300
    const at = new Date(clock.now()).toISOString()
    const delivery = { webhookId: id, type, sub, at, url, status, delivered }
    this.#deliveries = [...this.#deliveries, delivery].slice(-capacity)
    log(`webhook ${type} ${sub} → ${url}: ${status ?? 'not reached'}`)
    return delivery
  }

  async #send(url: string, body: string, headers: Record<string, string>): Promise<number | null> {
    const signal = AbortSignal.timeout(timeoutMs)
    const request = { method: 'POST', body, headers, signal, redirect: 'manual' } as const
    try {
      const response = await this.#options.fetch(url, request)
      await response.body?.cancel()
      return response.status
    } catch {
      return null
    }
  }
}

/** Whether a secret is of the Standard Webhooks form: `whsec_` and base64 of 24 to 64 bytes. */
export function isWebhookSecret(secret: string): boolean {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1]
  if (encoded === undefined) return false
  const { length } = Buffer.from(encoded, 'base64')
  return encoded.length % 4 === 0 && length >= 24 && length <= 64
}
