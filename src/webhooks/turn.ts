/**
 * A turn of an endpoint: one unit of work that stores the results of its attempts and claims the next deliveries. Claims
 * are leases: what a process that died had claimed becomes due when the lease ends. Of a fan, only the oldest pending
 * delivery can be claimed. The row of the endpoint is locked first, so the limit of attempts at once is exact.
 */
import { eq } from 'drizzle-orm'
import type { Tables, Transaction } from '../../db/index.ts'
import { findOldestPending, storeOutcome } from './deliveries.ts'
import { type DisabledReason, disableEndpoint, type Endpoint, lockEndpoints } from './endpoints.ts'
import { countLeases, deleteEmptyLanes, endLeases, leaseDueLanes, postponeLanes } from './lanes.ts'
import { MAX_FAILING_MS, nextAttempt } from './schedule.ts'
import { type Answer, isSuccess } from './send.ts'
import { attemptsSettled } from './signals.ts'

type Row = Tables['webhookDeliveries']['$inferSelect']

export interface Claim extends Pick<Row, 'userId' | 'sequence' | 'body' | 'attempts'> {
  /** Identifies the lease of the fan's lane. */
  leaseEndsAt: Date
}

/** `answer` is null when the attempt was cancelled. */
export interface Finished extends Claim {
  answer: Answer | null
}

export interface Turn {
  endpoint: Endpoint
  claims: Claim[]
  /** Set if this turn disabled the endpoint. */
  disabled: DisabledReason | null
}

interface Limits {
  /** Attempts of an endpoint at once, in all processes. 0: claims nothing. */
  maxInFlight: number
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
  if (!endpoint) return undefined
  const settled = await settle(tx, endpointId, finished)
  const disabled = await disableIfFailing(tx, endpoint, settled)
  const canClaim = endpoint.disabledAt === null && disabled === null && limits.maxInFlight > 0
  return { endpoint, disabled, claims: canClaim ? await claim(tx, endpointId, limits) : [] }
}

/** Stores results, except of leases that ended before: another process has claimed their deliveries. Returns those stored. */
async function settle(tx: Transaction, endpointId: string, finished: Finished[]): Promise<Finished[]> {
  if (finished.length === 0) return []
  const now = tx.now()
  const leases = finished.map(({ userId, leaseEndsAt }) => ({ userId, leaseEndsAt }))
  // Locks the lanes: a delivery that is added meanwhile waits, or is seen by the statements below.
  const ended = await endLeases(tx, endpointId, padded(leases), now)
  const held = new Set(ended.map(({ userId }) => userId))
  const settled = finished.filter(({ userId }) => held.has(userId))

  const outcomes = settled.flatMap(({ answer, ...delivery }) => (answer ? [{ answer, ...delivery }] : []))
  const over: string[] = []
  // Most deliveries of a turn have the same outcome: one statement for all of them.
  for (const group of Map.groupBy(outcomes, outcomeOf).values()) {
    // Guarantee of the cast: no group is empty.
    const [{ answer, ...first }] = group as [(typeof outcomes)[number]]
    const attempts = first.attempts + 1
    const again = isSuccess(answer)
      ? null
      : nextAttempt(attempts, { at: now, random: randomOf(tx), retryAfter: answer.retryAfter })
    const state = isSuccess(answer) ? 'delivered' : again ? 'pending' : 'failed'
    const keys = group.map(({ userId, sequence }) => ({ userId, sequence }))
    const stored = { state, attempts, attemptedAt: now, status: answer.status, answer: answer.answer }
    await storeOutcome(tx, endpointId, padded(keys), stored)
    attemptsSettled.announce(tx, { outcome: state, count: group.length })
    const userIds = group.map(({ userId }) => userId)
    if (again) await postponeLanes(tx, endpointId, padded(userIds), again)
    else over.push(...userIds)
  }
  if (over.length > 0) await deleteEmptyLanes(tx, endpointId, padded(over))
  return settled
}

/** Equal for results that are stored by the same statement. */
const outcomeOf = ({ attempts, answer }: Claim & { answer: Answer }) =>
  JSON.stringify([attempts, answer.status, answer.answer, answer.retryAfter])

/** Disables the endpoint after 410, or when it has failed for too long. */
async function disableIfFailing(
  tx: Transaction,
  { id, disabledAt, failingSince }: Endpoint,
  settled: Finished[],
): Promise<DisabledReason | null> {
  const answers = settled.flatMap(({ answer }) => answer ?? [])
  if (answers.length === 0 || disabledAt !== null) return null
  if (answers.some(({ status }) => status === 410)) return disable('gone')
  if (answers.some(isSuccess)) {
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

/** Leases due lanes up to the limit of attempts at once. */
async function claim(
  tx: Transaction,
  endpointId: string,
  { maxInFlight, leaseMs }: Limits,
): Promise<Claim[]> {
  const now = tx.now()
  const leaseEndsAt = new Date(now.getTime() + leaseMs)
  const [running] = await countLeases(tx, endpointId, now)
  const max = maxInFlight - (running?.leases ?? 0)
  if (max <= 0) return []
  const lanes = await leaseDueLanes(tx, { endpointId, now, leaseEndsAt, max })
  if (lanes.length === 0) return []

  const userIds = lanes.map(({ userId }) => userId)
  const oldest = await findOldestPending(tx, endpointId, padded(userIds))
  // Retention has deleted what was pending.
  const found = new Set(oldest.map(({ userId }) => userId))
  const empty = userIds.filter(id => !found.has(id))
  if (empty.length > 0) await deleteEmptyLanes(tx, endpointId, padded(empty))
  return oldest.map(delivery => ({ ...delivery, leaseEndsAt }))
}

/** Repeats the last item up to a power of two: each length of a list is a statement of its own. */
function padded<Item>(items: Item[]): Item[] {
  const length = 2 ** Math.ceil(Math.log2(items.length))
  return Array.from({ length }, (_, at) => items[Math.min(at, items.length - 1)] as Item)
}

/** From 0 to 1. */
const randomOf = (tx: Transaction) => Buffer.from(tx.randomBytes(4)).readUInt32BE() / 0xffffffff
