/** Webhook events of the provider (standardwebhooks.com): verifies and parses them, and applies them to the mirror. */
import { Webhook } from 'standardwebhooks'
import type { Transaction } from '../../db/index.ts'
import { isSameSecret } from '../core/constant-time.ts'
import { DomainError, refuseField } from '../core/problems.ts'
import { deleteKeysOf } from '../http/idempotency/key-store.ts'
import { type IdentityClaims, isoInstant, parseClaims } from '../identity-provider/claims.ts'
import { mirrorIdentity, tombstoneIdentity } from './mirror.ts'
import type { UserEvent as UserEventSchema } from './schema.ts'
import { ensureUser, findTokenValidity, findUser } from './users.ts'

/** Clock tolerance in seconds, as the standard recommends. */
const CLOCK_TOLERANCE = 300

export interface Delivery {
  id: string | null
  /** Seconds since the epoch, in digits. */
  timestamp: string | null
  /** `v1,BASE64`; several, separated by spaces, while the sender rotates its secret. */
  signature: string | null
  body: string
}

/** @throws DomainError `invalid_signature` */
export function verifyDelivery(delivery: Delivery, secret: string, now: Date): void {
  const { id, timestamp, signature, body } = delivery
  if (!id || !signature || !timestamp || !/^\d{1,12}$/.test(timestamp)) {
    throw invalidSignature('Standard Webhooks headers are missing.')
  }
  const sentAt = new Date(Number(timestamp) * 1000)
  if (Math.abs(now.getTime() - sentAt.getTime()) > CLOCK_TOLERANCE * 1000) {
    throw invalidSignature('The timestamp differs too much from the current time.')
  }
  // Uses only `sign` of the library, because its `verify` reads the system clock.
  const expected = new Webhook(secret).sign(id, sentAt, body)
  const genuine = signature.split(' ').some(given => isSameSecret(given, expected))
  if (!genuine) throw invalidSignature()
}

const invalidSignature = (detail?: string) =>
  new DomainError('invalid_signature', { detail, security: { event: 'webhook_signature_invalid' } })

export interface UserEvent {
  type: 'user.updated' | 'user.deleted'
  provider: string
  claims: IdentityClaims
}

/**
 * Parses an event; `event` is null for types that this API ignores.
 * @throws DomainError `validation_failed` (no timestamp, no subject, another issuer)
 */
export function readUserEvent(
  { type, timestamp, data }: typeof UserEventSchema.static,
  provider: string,
  issuer: string,
  now: Date,
) {
  if (type !== 'user.updated' && type !== 'user.deleted') return { event: null, refused: [] }
  const statedAt =
    isoInstant(timestamp) ?? refuseField({ pointer: '/timestamp', message: 'must be an ISO 8601 time' })
  const subject = data.sub ?? refuseField({ pointer: '/data/sub', message: 'is required' })
  if (data.iss !== undefined && data.iss !== issuer && data.iss !== `${issuer}/`) {
    refuseField({ pointer: '/data/iss', message: 'must be the issuer of this API' })
  }
  const { claims, refused } = parseClaims(subject, data, { statedAt, now, complete: false })
  const event: UserEvent = { type, provider, claims }
  return { event, refused }
}

/** Idempotent, and independent of the order of events. */
export async function applyUserEvent(tx: Transaction, { type, provider, claims }: UserEvent): Promise<void> {
  const who = { provider, subject: claims.subject }
  if (type === 'user.deleted') {
    // Creates a user record if there is none: a token of the deleted user may not have expired.
    if ((await findTokenValidity(tx, who)).erased) return
    const { user } = await ensureUser(tx, who)
    await tombstoneIdentity(tx, user)
    await deleteKeysOf(tx, who)
    return
  }
  const user = await findUser(tx, who)
  if (user) await mirrorIdentity(tx, user.id, claims)
}
