/** Deliveries of the provider, signed per Standard Webhooks, without the library that the application uses. */
import { createHmac } from 'node:crypto'
import type { Answer } from '../../support/client.ts'
import type { World } from '../../support/world.ts'

/** `v1,` and base64 of the HMAC over id, timestamp and body. */
export function sign(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

export interface Envelope {
  /** Difference of the signed timestamp from now, in seconds. */
  skew?: number
  secret?: string
  /** Replaces the signed body. */
  body?: string
  /** Replaces headers; null omits one. */
  headers?: Record<string, string | null>
}

type Receiver = Pick<World, 'anonymous' | 'clock' | 'config'>

/** Delivers a JSON body to the webhook. */
export function deliver(world: Receiver, event: unknown, envelope: Envelope = {}): Promise<Answer> {
  const { skew = 0, secret = world.config.identity.webhookSecret } = envelope
  const signed = JSON.stringify(event)
  const timestamp = String(Math.floor(world.clock.ms / 1000) + skew)
  const all: Record<string, string | null> = {
    'content-type': 'application/json',
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': sign(secret, 'msg_1', timestamp, signed),
    ...envelope.headers,
  }
  const headers = Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  )
  return world.anonymous.send('/api/webhooks/identity', {
    method: 'POST',
    headers,
    body: envelope.body ?? signed,
  })
}

/** A `user.updated` event, sent now by default. */
export const updated = (world: Receiver, sub: string, claims: object = {}) => ({
  type: 'user.updated',
  timestamp: new Date(world.clock.ms).toISOString(),
  data: { sub, iss: world.config.identity.issuer, ...claims },
})

export const deleted = (world: Receiver, sub: string) => ({ ...updated(world, sub), type: 'user.deleted' })
