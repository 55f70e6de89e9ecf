/** Webhook events of the provider (standardwebhooks.com): verifies and parses them, and applies them to the mirror. */

import { Webhook } from 'standardwebhooks'
import type { Transaction } from '../../../db/index.ts'
import { isSameSecret } from '../../core/constant-time.ts'
import { DomainError, type FieldError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { deleteKeysOf } from '../../platform/http/idempotency/key-store.ts'
import { type IdentityClaims, isoInstant, parseClaims } from '../../platform/identity-provider/claims.ts'
import { ensureUser } from './callers.ts'
import { mirrorIdentity, tombstoneIdentity } from './mirror.ts'
import type { UserEvent as UserEventSchema } from './schema.ts'
import { findTokenValidity } from './user-token-validity.ts'
import { findSignIn } from './users.ts'

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
  new DomainError(transportProblems.invalid_signature, {
    detail,
    security: { event: 'webhook_signature_invalid' },
  })

export interface UserEvent {
  type: 'user.updated' | 'user.deleted'
  provider: string
  claims: IdentityClaims
}

const isUserEvent = (type: unknown): type is UserEvent['type'] =>
  type === 'user.updated' || type === 'user.deleted'

/** What the schema of an event cannot express, since other types are ignored. The event may break the schema. */
export function findEventErrors(event: unknown, issuer: string): FieldError[] {
  const { type, timestamp, data } = membersOf(event)
  const { sub, iss } = membersOf(data)
  if (!isUserEvent(type)) return []
  const errors: FieldError[] = []
  if (typeof timestamp === 'string' && !isoInstant(timestamp))
    errors.push({ pointer: '/timestamp', message: 'must be an RFC 3339 instant' })
  if (data instanceof Object && sub === undefined)
    errors.push({ pointer: '/data/sub', message: 'is required' })
  if (iss !== undefined && iss !== issuer && iss !== `${issuer}/`)
    errors.push({ pointer: '/data/iss', message: 'must be the issuer of this API' })
  return errors
}

/**
 * Guarantee of the cast: every object has members; for another value the result is an object without members.
 */
const membersOf = (value: unknown) => Object(value) as Record<string, unknown>

/** Parses an event without errors; `event` is null for types that this API ignores. */
export function readUserEvent(
  { type, timestamp, data }: typeof UserEventSchema.static,
  { name: provider, ageClaim }: { name: string; ageClaim: string | null },
  now: Date,
) {
  if (!isUserEvent(type)) return { event: null, refused: [] }
  const statedAt = isoInstant(timestamp)
  if (statedAt === null || data.sub === undefined) throw new Error('the event was not checked')
  const { claims, refused } = parseClaims(data.sub, data, { statedAt, now, complete: false, ageClaim })
  const event: UserEvent = { type, provider, claims }
  return { event, refused }
}

/** Idempotent, and independent of the order of events. */
export async function applyUserEvent(tx: Transaction, { type, provider, claims }: UserEvent): Promise<void> {
  const caller = { provider, subject: claims.subject }
  if (type === 'user.deleted') {
    // Creates a user record if there is none: a token of the deleted user may not have expired.
    if ((await findTokenValidity(tx, caller)).erased) return
    const { user } = await ensureUser(tx, caller)
    await tombstoneIdentity(tx, (await findSignIn(tx, caller)) ?? user)
    await deleteKeysOf(tx, caller)
    return
  }
  const user = await findSignIn(tx, caller)
  if (user) await mirrorIdentity(tx, user.id, claims)
}
