/**
 * A turn of an endpoint: one unit of work that stores the results of its attempts and claims the next
 * deliveries. Claims are leases: if a process dies, its deliveries become due when the lease ends. For each
 * fan, only the oldest pending delivery can be claimed. The row of the endpoint is locked first, so the limit
 * of attempts at once is exact.
 */
import { eq } from 'drizzle-orm'
import { updateRows } from '../../../db/bulk.ts'
import type { Tables, Transaction } from '../../../db/index.ts'
import { findOldestPending, type LastAttempt, withLastAttempt } from './deliveries.ts'
import { type DisabledReason, disableEndpoint, type Endpoint, lockEndpoints } from './endpoints.ts'
import {
  countLeases,
  deleteEmptyLanes,
  deleteEndedLanes,
  findLanes,
  type LaneEnd,
  leaseDueLanes,
} from './lanes.ts'
import { MAX_FAILING_MS, nextAttempt, PAUSE_SECONDS } from './schedule.ts'
import { type AttemptResult, isSuccess } from './send.ts'
import type { ATTEMPT_OUTCOMES } from './spine.ts'

type Delivery = Tables['webhookDeliveries']['$inferSelect']
type State = (typeof ATTEMPT_OUTCOMES)[number]

export interface Claim extends Pick<Delivery, 'userId' | 'sequence' | 'body' | 'attempts'>, LastAttempt {
  /** Identifies the lease of the fan's lane. */
  leaseEndsAt: Date
}

/** `result` is null when the attempt was cancelled. */
export interface Finished extends Claim {
  result: AttemptResult | null
}

export interface Turn {
  endpoint: Endpoint
  claims: Claim[]
  /** False: deliveries that are already claimed must not be attempted either. */
  maySend: boolean
  /** Set if this turn disabled the endpoint. */
  disabled: DisabledReason | null
}

interface Limits {
  /** Attempts of an endpoint at once, in all processes. 0: claims nothing. */
  maxInFlight: number
  /** Deliveries of an endpoint that the only process that sends to it may claim. */
  maxClaimed: number
  /** The deliveries that this process has claimed and not finished, without those in `finished`. */
  held: Claim[]
  leaseMs: number
}

/** Undefined: the endpoint was removed. */
export async function takeTurn(
  tx: Transaction,
  endpointId: string,
  finished: Finished[],
  limits: Limits,
): Promise<Turn | undefined> {
  const [endpoint] = await lockEndpoints(tx, endpointId)
  return endpoint && takeTurnOf(tx, endpoint, finished, limits)
}

/** As `takeTurn`, for an endpoint that this unit of work has locked. */
export async function takeTurnOf(
  tx: Transaction,
  endpoint: Endpoint,
  finished: Finished[],
  limits: Limits,
): Promise<Turn> {
  const settled = await settle(tx, endpoint.id, finished)
  const disabled = await disableIfFailing(tx, endpoint, settled)
  const pausedUntil = await pauseIfAsked(tx, endpoint, settled)
  const isPaused = pausedUntil !== null && pausedUntil > tx.now()
  const maySend = endpoint.disabledAt === null && disabled === null && !isPaused && limits.maxInFlight > 0
  return { endpoint, disabled, maySend, claims: maySend ? await claim(tx, endpoint.id, limits) : [] }
}

/** Stores results, except of leases that ended before: another process has claimed their deliveries. Returns those stored. */
async function settle(tx: Transaction, endpointId: string, finished: Finished[]): Promise<Finished[]> {
  if (finished.length === 0) return []
  const { webhookLanes, webhookDeliveries } = tx.tables
  // The lock of the endpoint protects its lanes, except from the erasure of a fan, which also deletes lanes
  // first.
  const keys = finished.map(({ userId }) => ({ endpointId, userId }))
  const lanes = new Map((await findLanes(tx, keys)).map(lane => [lane.userId, lane]))
  const settled: Finished[] = []
  const ended: (typeof webhookLanes.$inferInsert)[] = []
  const attempted: (LaneEnd & Partial<Delivery>)[] = []
  for (const { result, ...claim } of finished) {
    const { userId, sequence } = claim
    const lane = lanes.get(userId)
    if (lane?.leaseEndsAt?.getTime() !== claim.leaseEndsAt.getTime()) continue
    settled.push({ result, ...claim })
    const { nextAttemptAt, ...outcome } = outcomeOf(tx, claim, result)
    ended.push({ endpointId, userId, leaseEndsAt: null, nextAttemptAt: nextAttemptAt ?? lane.nextAttemptAt })
    if (result) attempted.push({ endpointId, userId, sequence, ...outcome })
  }
  const over = attempted.filter(({ state }) => state !== 'pending')
  const deleted = new Set(await deleteEndedLanes(tx, endpointId, over))
  const kept = ended.filter(({ userId }) => !deleted.has(userId))
  await updateRows(tx, webhookLanes, kept, ['leaseEndsAt', 'nextAttemptAt'])
  await updateRows(tx, webhookDeliveries, attempted, [
    'state',
    'attempts',
    'attemptedAt',
    'status',
    'response',
    'earlierAttempts',
  ])
  // Guarantee of the cast: each has an outcome.
  for (const [outcome, { length }] of Map.groupBy(attempted, ({ state }) => state as State))
    tx.spine.webhooks.attemptsSettled.announce(tx, { outcome, count: length })
  return settled
}

/**
 * The stored result of an attempt, and the time of the fan's next one. A cancelled attempt does not count.
 */
function outcomeOf(tx: Transaction, claim: Claim, result: AttemptResult | null) {
  const now = tx.now()
  if (!result) return { nextAttemptAt: null }
  const { status, retryAfter } = result
  const attempts = claim.attempts + 1
  const earlierAttempts = withLastAttempt(claim)
  const stored = { attempts, attemptedAt: now, status, response: result.response, earlierAttempts }
  if (isSuccess(result)) return { ...stored, state: 'delivered', nextAttemptAt: now }
  const again = nextAttempt(attempts, { at: now, random: randomOf(tx), retryAfter })
  return { ...stored, state: again ? 'pending' : 'failed', nextAttemptAt: again ?? now }
}

/** Disables the endpoint after 410, or when it has failed for too long. */
async function disableIfFailing(
  tx: Transaction,
  { id, disabledAt, failingSince }: Endpoint,
  settled: Finished[],
): Promise<DisabledReason | null> {
  const results = settled.flatMap(({ result }) => result ?? [])
  if (results.length === 0 || disabledAt !== null) return null
  if (results.some(({ status }) => status === GONE)) return disable('gone')
  if (results.some(isSuccess)) {
    if (failingSince !== null) await setFailingSince(null)
    return null
  }
  if (failingSince === null) await setFailingSince(tx.now())
  else if (tx.now().getTime() - failingSince.getTime() >= MAX_FAILING_MS) return disable('failing')
  return null

  async function disable(reason: DisabledReason) {
    await disableEndpoint(tx, id, reason)
    return reason
  }
  async function setFailingSince(since: Date | null) {
    const { webhookEndpoints } = tx.tables
    await tx.update(webhookEndpoints).set({ failingSince: since }).where(eq(webhookEndpoints.id, id))
  }
}

/** `Retry-After` and 429 are about the receiver, not about one fan. Returns when the pause ends; null without one. */
async function pauseIfAsked(
  tx: Transaction,
  { id, pausedUntil }: Endpoint,
  settled: Finished[],
): Promise<Date | null> {
  const seconds = settled.map(({ result }) => (result && !isSuccess(result) ? pauseOf(result) : 0))
  const asked = new Date(tx.now().getTime() + 1_000 * Math.max(0, ...seconds))
  if (asked <= (pausedUntil ?? tx.now())) return pausedUntil
  const { webhookEndpoints } = tx.tables
  await tx.update(webhookEndpoints).set({ pausedUntil: asked }).where(eq(webhookEndpoints.id, id))
  return asked
}

/** Seconds. */
const pauseOf = ({ status, retryAfter }: AttemptResult) => retryAfter ?? (status === 429 ? PAUSE_SECONDS : 0)

/** Whether the receiver asks for a pause: claimed deliveries are then released. */
export const asksForPause = (result: AttemptResult): boolean =>
  !isSuccess(result) && (result.status === GONE || pauseOf(result) > 0)

const GONE = 410

/**
 * Leases due lanes, beginning with those that have been due longest. If only this process sends to the
 * endpoint, it claims more than it attempts at once. While another process holds leases, all leases together
 * stay within the limit of attempts.
 */
async function claim(
  tx: Transaction,
  endpointId: string,
  { maxInFlight, maxClaimed, held, leaseMs }: Limits,
): Promise<Claim[]> {
  const now = tx.now()
  const leaseEndsAt = new Date(now.getTime() + leaseMs)
  const [claimed] = await countLeases(tx, endpointId, now)
  const leases = claimed?.leases ?? 0
  const own = held.filter(claim => claim.leaseEndsAt > now).length
  const max = (leases > own ? maxInFlight : maxClaimed) - leases
  if (max <= 0) return []
  const lanes = await leaseDueLanes(tx, { endpointId, now, leaseEndsAt, max })
  if (lanes.length === 0) return []

  const userIds = lanes.map(({ userId }) => userId)
  const oldest = new Map(
    (await findOldestPending(tx, endpointId, userIds)).map(delivery => [delivery.userId, delivery]),
  )
  // Retention has deleted what was pending.
  const empty = userIds.filter(id => !oldest.has(id))
  if (empty.length > 0) await deleteEmptyLanes(tx, endpointId, empty)
  return lanes
    .flatMap(({ userId }) => oldest.get(userId) ?? [])
    .map(delivery => ({ ...delivery, leaseEndsAt }))
}

/** From 0 to 1. */
const randomOf = (tx: Transaction) => Buffer.from(tx.randomBytes(4)).readUInt32BE() / 0xffffffff
