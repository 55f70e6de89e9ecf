/**
 * A turn of a service: one unit of work that stores the results of attempts and claims the next pushes. Claims are leases: if a
 * process dies, its pushes become due when the lease ends. Of each device, only the oldest waiting push can be claimed.
 */
import { and, desc, eq, not } from 'drizzle-orm'
import { updateRows } from '../../../db/bulk.ts'
import type { Tables, Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Activity } from './activities.ts'
import { decide, lockDue, lockExpired } from './decide.ts'
import { deleteDeadDevice, isWaiting } from './devices.ts'
import { HELD, isHeldByQuietHours, QUIET } from './hold.ts'
import type { Attempt } from './sender.ts'
import { lockService } from './services.ts'
import { kindOfService, type PushOutcome, type Queue, queuesOf } from './spine.ts'

type DeliveryRow = Tables['pushDeliveries']['$inferSelect']
type ServiceRow = Tables['pushServices']['$inferSelect']

export interface Claim extends DeliveryRow {
  leaseEndsAt: Date
  encryptedToken: string
  tokenHash: string
  kind: string
  activity: Activity | null
}

export interface Finished extends Claim {
  /** Null: it was cancelled. */
  attempt: Attempt | null
}

const RETRY_MS = [5_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000]
/** A push that waits for an earlier one of its device is looked at again after this. */
const BEHIND_MS = 1_000

/** Undefined: the service is not known. */
export async function takeTurn(
  tx: Transaction,
  { service, bulk }: Queue,
  finished: Finished[],
  { max, leaseMs }: { max: number; leaseMs: number },
): Promise<Claim[] | undefined> {
  const [row] = await lockService(tx, service)
  if (!row) return undefined
  await settle(tx, row, finished)
  const pausedUntil = pauseOf(tx, finished) ?? row.pausedUntil
  if (max === 0 || (pausedUntil !== null && pausedUntil > tx.now())) return []
  const queue = { service, bulk, now: tx.now() }
  const expired = await lockExpired(tx, { ...queue, max })
  const due = expired.length < max ? await lockDue(tx, { ...queue, max: max - expired.length }) : []
  return claim(tx, [...expired, ...due], new Date(tx.now().getTime() + leaseMs))
}

async function claim(tx: Transaction, rows: DeliveryRow[], leaseEndsAt: Date): Promise<Claim[]> {
  if (rows.length === 0) return []
  const names = rows.map(({ userId, deviceId }) => `${userId} ${deviceId}`)
  const userIds = toList([...new Set(rows.map(({ userId }) => userId))])
  const found = await selectWaiting(tx, userIds, tx.now())
  const oldest = new Map(found.map(({ userId, deviceId, messageId }) => [`${userId} ${deviceId}`, messageId]))
  const isFirst = (row: DeliveryRow, index: number) => oldest.get(names[index] ?? '') === row.messageId
  const first = rows.filter(isFirst)
  const leading = new Set(first.map(({ userId, deviceId }) => `${userId} ${deviceId}`))
  // Behind one of this turn: the next turn claims it.
  const behind = rows.filter((row, index) => !isFirst(row, index) && !leading.has(names[index] ?? ''))
  const dueAt = new Date(tx.now().getTime() + BEHIND_MS)
  const { pushDeliveries } = tx.tables
  await updateRows(
    tx,
    pushDeliveries,
    behind.map(row => ({ ...row, leaseEndsAt: null, dueAt })),
    ['leaseEndsAt', 'dueAt'],
  )
  const decisions = await decide(tx, first)
  const claims: Claim[] = []
  const ended: DeliveryRow[] = []
  const later: DeliveryRow[] = []
  for (const [index, row] of first.entries()) {
    const decision = decisions[index]
    if (!decision) continue
    if (decision.send) {
      const { send: _, ...decided } = decision
      claims.push({ ...row, ...decided, leaseEndsAt, reason: null })
    } else if ('laterAt' in decision)
      later.push({ ...row, leaseEndsAt: null, dueAt: decision.laterAt, reason: QUIET })
    else {
      const skipped = { ...row, ...ending(tx, 'skipped', decision.reason) }
      ended.push(decision.reason === HELD ? { ...skipped, content: row.content } : skipped)
    }
  }
  await updateRows(tx, pushDeliveries, claims.map(rowOf), ['leaseEndsAt', 'countedAt', 'reason'])
  await updateRows(tx, pushDeliveries, later, ['leaseEndsAt', 'dueAt', 'reason'])
  await updateRows(tx, pushDeliveries, ended, ENDED)
  announce(tx, ended)
  // Those behind a push that is not sent need not wait for the next poll.
  if (claims.length < first.length && first.length < rows.length)
    tx.spine.push.queued.announce(tx, queuesOf(rows))
  return claims
}

/**
 * The oldest of each device last. Of one millisecond, ids of messages say which is older. Those that quiet hours hold let later ones
 * be decided, too.
 */
const selectWaiting = prepared((tx: Transaction, userIds: string, now: Date) => {
  const { pushDeliveries } = tx.tables
  const { userId, deviceId, messageId, position } = pushDeliveries
  return tx
    .select({ userId, deviceId, messageId })
    .from(pushDeliveries)
    .where(and(isWaiting(tx), isListed(tx, userId, userIds), not(isHeldByQuietHours(pushDeliveries, now))))
    .orderBy(desc(position), desc(messageId))
})

const ENDED = ['state', 'reason', 'content', 'leaseEndsAt', 'endedAt', 'attempts', 'status'] as const

const ending = (tx: Transaction, state: 'sent' | 'skipped' | 'failed', reason: string | null) => ({
  state,
  reason,
  endedAt: tx.now(),
  // The texts are of no more use.
  content: null,
  leaseEndsAt: null,
})

/** The columns of the table alone. */
function rowOf({ encryptedToken: _e, tokenHash: _t, kind: _k, activity: _a, ...row }: Claim): DeliveryRow {
  return row
}

/** Stores results, except of leases that ended before: another process has claimed those pushes. */
async function settle(
  tx: Transaction,
  { name: service, refusedSince }: ServiceRow,
  finished: Finished[],
): Promise<void> {
  if (finished.length === 0) return
  const { pushDeliveries, pushServices } = tx.tables
  const leased = await lockLeased(tx, toList([...new Set(finished.map(({ userId }) => userId))]), service)
  const now = new Map(leased.map(row => [nameOf(row), row]))
  const held = finished.filter(
    claim => now.get(nameOf(claim))?.leaseEndsAt?.getTime() === claim.leaseEndsAt.getTime(),
  )
  const rows: DeliveryRow[] = []
  for (const { attempt, ...claim } of held) {
    const row = now.get(nameOf(claim)) ?? rowOf(claim)
    if (!attempt) {
      rows.push({ ...row, leaseEndsAt: null })
      continue
    }
    // A change of the match meanwhile has queued it again.
    const isNewer = row.position !== claim.position
    const { outcome, status, retryAfter = 0 } = attempt
    const attempts = row.attempts + 1
    const wait = RETRY_MS[row.attempts]
    const tried = { ...row, attempts, status }
    const isEnd = outcome === 'sent' && claim.activity?.event === 'end' && !isNewer
    if (outcome === 'gone' || isEnd) await deleteDeadDevice(tx, claim)
    if (isNewer && outcome !== 'retry') rows.push({ ...row, leaseEndsAt: null })
    else if (outcome === 'retry' && wait !== undefined) {
      const dueAt = new Date(tx.now().getTime() + Math.max(wait, retryAfter * 1_000))
      rows.push({ ...tried, leaseEndsAt: null, dueAt })
    } else if (outcome === 'sent') rows.push({ ...tried, ...ending(tx, 'sent', null) })
    else rows.push({ ...tried, ...ending(tx, 'failed', outcome === 'retry' ? 'no_more_attempts' : outcome) })
  }
  await updateRows(tx, pushDeliveries, rows, [...ENDED, 'dueAt'])
  announce(tx, rows)
  const wrong = held.find(({ attempt }) => attempt?.outcome === 'wrong')?.attempt
  const works = held.some(({ attempt }) => attempt?.outcome === 'sent')
  const pausedUntil = pauseOf(tx, held)
  if (wrong || (works && refusedSince !== null) || pausedUntil)
    await tx
      .update(pushServices)
      .set({
        ...(pausedUntil ? { pausedUntil } : {}),
        ...(works ? { refusedSince: null, refusal: null } : {}),
        ...(wrong && !works ? { refusedSince: tx.now(), refusal: wrong.refusal ?? null } : {}),
      })
      .where(eq(pushServices.name, service))
}

/** The end of a pause for which the service asked: with `Retry-After` or 429 it is about all devices. */
function pauseOf(tx: Transaction, finished: Finished[]): Date | null {
  const seconds = Math.max(0, ...finished.map(({ attempt }) => attempt?.retryAfter ?? 0))
  return seconds === 0 ? null : new Date(tx.now().getTime() + seconds * 1_000)
}

const nameOf = ({ userId, deviceId, messageId }: Pick<DeliveryRow, 'userId' | 'deviceId' | 'messageId'>) =>
  JSON.stringify([userId, deviceId, messageId])

const lockLeased = prepared((tx: Transaction, userIds: string, service: string) => {
  const { pushDeliveries } = tx.tables
  return tx
    .select()
    .from(pushDeliveries)
    .where(
      and(
        isWaiting(tx),
        isListed(tx, tx.tables.pushDeliveries.userId, userIds),
        eq(pushDeliveries.service, service),
      ),
    )
})

function announce(tx: Transaction, rows: DeliveryRow[]): void {
  for (const [service, ofService] of Map.groupBy(rows, row => kindOfService(row.service)))
    for (const [outcome, { length: count }] of Map.groupBy(ofService, outcomeOf))
      tx.spine.push.settled.announce(tx, { service, outcome, count })
}

/** Guarantee of the cast: the reasons of failures are outcomes, as `settle` writes them. */
const outcomeOf = ({ state, reason }: DeliveryRow) => (state === 'failed' ? reason : state) as PushOutcome
