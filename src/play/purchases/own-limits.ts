/**
 * Limits that fans set for their own spending, and pauses. A stricter one holds at once, a looser one after 24 hours: nobody can lift
 * their own limit on an impulse. Staff cannot change them.
 */
import type { Reader, Transaction } from '../../../db/index.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { refuseField } from '../../core/transport-problems.ts'
import { windowAt } from '../../core/windows.ts'
import { requireGuardian } from '../../identity/users/age.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import { findStoredLimits, storeLimits } from '../../identity/users/stored-limits.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'
import type { PurchaseKind } from './kind.ts'
import type { ChangeLimits, OwnLimits, SetLimits, SpendingLimit } from './limit-schema.ts'
import { purchaseProblems } from './problems.ts'
import type { Purchase } from './purchase.ts'

type Period = SpendingLimit['per']

const NONE: SetLimits = { spending: null, next: null, pauseUntil: null }
const DAY_MS = 86_400_000
/** Staff cannot end a pause: a year that was mistyped must not last a lifetime. */
const LONGEST_PAUSE_MS = 5 * 366 * DAY_MS
/** How many periods of a limit a period of another one can touch: seven days are in a week, and a week can be in two months. */
const TOUCHED: Record<Period, Record<Period, number>> = {
  day: { day: 1, week: 1, month: 1 },
  week: { day: 7, week: 1, month: 2 },
  month: { day: 31, week: 6, month: 1 },
}

/** What holds at a time. */
export function limitsAt(stored: SetLimits, now: Date): SetLimits {
  const { next, pauseUntil } = stored
  const isDue = next !== null && new Date(next.at) <= now
  const isPaused = pauseUntil !== null && new Date(pauseUntil) > now
  return {
    spending: isDue ? next.spending : stored.spending,
    next: isDue ? null : next,
    pauseUntil: isPaused ? pauseUntil : null,
  }
}

/** What the fan sets now. `spent`: what counts against the limit in force. */
export function changeLimits(stored: SetLimits, change: ChangeLimits, now: Date, spent = 0): SetLimits {
  const limits = limitsAt(stored, now)
  const { spending, pauseUntil } = change
  return {
    ...(spending === undefined ? limits : changeSpending(limits, spending, now, spent)),
    pauseUntil: pauseUntil === undefined ? limits.pauseUntil : changePause(limits, pauseUntil, now),
  }
}

function changeSpending(
  limits: SetLimits,
  wanted: SpendingLimit | null,
  now: Date,
  spent: number,
): SetLimits {
  if (isAtMost(wanted, limits.spending, spent)) return { ...limits, spending: wanted, next: null }
  // A repetition does not wait again.
  if (limits.next && isSame(wanted, limits.next.spending)) return limits
  return { ...limits, next: { spending: wanted, at: new Date(now.getTime() + DAY_MS).toISOString() } }
}

/**
 * Whether `wanted` allows no more than `current` in any period of `current`, also in the one that runs: what was `spent` in it may be
 * before the periods of `wanted` that it touches.
 */
function isAtMost(wanted: SpendingLimit | null, current: SpendingLimit | null, spent: number): boolean {
  if (current === null) return true
  if (wanted === null || wanted.currency !== current.currency) return false
  if (wanted.amount === 0) return true
  const touched = TOUCHED[current.per][wanted.per]
  return touched * wanted.amount + (touched === 1 ? 0 : spent) <= current.amount
}

const isSame = (one: SpendingLimit | null, other: SpendingLimit | null): boolean =>
  one?.amount === other?.amount && one?.currency === other?.currency && one?.per === other?.per

function changePause({ pauseUntil }: SetLimits, wanted: string | null, now: Date): string | null {
  const until = wanted === null ? now : new Date(wanted)
  if (until.getTime() > now.getTime() + LONGEST_PAUSE_MS)
    refuseField({ pointer: '/pauseUntil', message: 'must be within five years' })
  if (pauseUntil === null) {
    if (wanted === null) return null
    if (until <= now) refuseField({ pointer: '/pauseUntil', message: 'must be in the future' })
    return until.toISOString()
  }
  const current = new Date(pauseUntil).getTime()
  const atOnce = until.getTime() >= current
  const shortened = Math.min(current, Math.max(until.getTime(), now.getTime() + DAY_MS))
  return new Date(atOnce ? until : shortened).toISOString()
}

/** Of the limits of two records of one fan: nothing that either forbids becomes possible, as far as one limit can say it. */
export function stricterOf(one: SetLimits, other: SetLimits): SetLimits {
  const [kept, more] = one.spending === null ? [other, one] : [one, other]
  const isMoreStrict = more.spending !== null && isAtMost(more.spending, kept.spending, 0)
  const { spending, next } = isMoreStrict ? more : kept
  const pauses = [one.pauseUntil, other.pauseUntil].flatMap(until => until ?? [])
  return { spending, next, pauseUntil: pauses.toSorted().at(-1) ?? null }
}

// Guarantee of the cast: only `writeLimits` writes the column.
const parse = (stored: string | null): SetLimits =>
  stored === null ? NONE : (JSON.parse(stored) as SetLimits)

export const findLimits = async (reader: Reader, userId: string): Promise<SetLimits> =>
  parse(await findStoredLimits(reader, userId))

/** Null: the fan has never set any, or has none. */
export async function exportLimits(reader: Reader, userId: string): Promise<SetLimits | null> {
  const stored = await findStoredLimits(reader, userId)
  return stored === null ? null : parse(stored)
}

/** The record of the fan is locked to change. */
export async function setLimits(
  tx: Transaction,
  kinds: readonly PurchaseKind[],
  { userId }: Viewer,
  change: ChangeLimits,
): Promise<OwnLimits> {
  const [stored, now] = [await findLimits(tx, userId), tx.clock()]
  const before = limitsAt(stored, now)
  const { spending } = before
  const spent = spending && change.spending ? await readSpent(tx, kinds, userId, spending, now) : null
  const after = changeLimits(stored, change, now, spent?.amount)
  if (isLooser(before, after)) await requireGuardian(tx, userId)
  await writeLimits(tx, userId, after)
  return readLimits(tx, kinds, { userId })
}

/** Whether something that is less strict waits now, or a pause ends earlier. */
const isLooser = (before: SetLimits, after: SetLimits): boolean =>
  (after.next !== null && after.next.at !== before.next?.at) ||
  (before.pauseUntil !== null && (after.pauseUntil === null || after.pauseUntil < before.pauseUntil))

async function writeLimits(tx: Transaction, userId: string, limits: SetLimits): Promise<void> {
  const isNone = limits.spending === null && limits.next === null && limits.pauseUntil === null
  await storeLimits(tx, userId, isNone ? null : JSON.stringify(limits))
}

/** The stricter limits stay with the fan who remains. Both records are locked. */
export async function mergeLimits(tx: Transaction, fromId: string, intoId: string): Promise<void> {
  const from = await findStoredLimits(tx, fromId)
  if (from === null) return
  const now = tx.clock()
  const into = await findLimits(tx, intoId)
  await writeLimits(tx, intoId, stricterOf(limitsAt(into, now), limitsAt(parse(from), now)))
  await storeLimits(tx, fromId, null)
}

/** What a fan has set, and what is left of it. */
export async function readLimits(
  reader: Reader,
  kinds: readonly PurchaseKind[],
  { userId }: Viewer,
): Promise<OwnLimits> {
  const now = reader.now()
  const limits = limitsAt(await findLimits(reader, userId), now)
  const { spending } = limits
  return { ...limits, spent: spending && (await readSpent(reader, kinds, userId, spending, now)) }
}

/** What counts against a limit, in its current period in the zone of the club. */
async function readSpent(
  reader: Reader,
  kinds: readonly PurchaseKind[],
  userId: string,
  { currency, per }: SpendingLimit,
  now: Date,
) {
  const { startsAt, endsAt } = windowAt(per, now, await timeZoneOf(reader))
  let amount = 0
  for (const kind of kinds) amount += await kind.sumSpent(reader, { userId, currency, since: startsAt, now })
  return { amount, until: endsAt.toISOString() }
}

/**
 * In the unit of work that has started a purchase, of a fan who is locked to count: what was started counts, and is rolled back if it
 * is too much.
 * @throws DomainError `paused`, `spending_limit_reached`
 */
export async function keepOwnLimits(
  tx: Transaction,
  kinds: readonly PurchaseKind[],
  { userId, ownLimits }: Pick<Caller, 'userId' | 'ownLimits'>,
  started: { amount: number; currency: string },
): Promise<void> {
  const stored = ownLimits === undefined ? await findStoredLimits(tx, userId) : ownLimits
  if (stored === null) return
  const now = tx.clock()
  const { spending, pauseUntil } = limitsAt(parse(stored), now)
  if (pauseUntil !== null) throw new DomainError(purchaseProblems.paused, { until: pauseUntil })
  if (!spending || spending.currency !== started.currency || started.amount === 0) return
  const { amount, until } = await readSpent(tx, kinds, userId, spending, now)
  if (amount <= spending.amount) return
  const available = Math.max(0, spending.amount - (amount - started.amount))
  throw new DomainError(purchaseProblems.spending_limit_reached, { ...spending, available, until })
}

/**
 * Whether the limits of a fan allow a purchase that is paid after its hold has ended: it counts no longer, and is judged as one that
 * begins now. Locks the fan to count.
 */
export async function allowsLate(
  tx: Transaction,
  kinds: readonly PurchaseKind[],
  { userId, priceAmount, priceCurrency }: Purchase,
): Promise<boolean> {
  await lockToCount(tx, userId)
  const now = tx.clock()
  const { spending, pauseUntil } = limitsAt(await findLimits(tx, userId), now)
  if (pauseUntil !== null) return false
  if (!spending || spending.currency !== priceCurrency) return true
  const { amount } = await readSpent(tx, kinds, userId, spending, now)
  return amount + priceAmount <= spending.amount
}
