/**
 * Writes memberships by their `ref`, and records their starts and ends as events. Many at once, for imports: the number of
 * statements does not depend on theirs.
 */
import { asc, inArray } from 'drizzle-orm'
import { insertNewRows, updateRows } from '../../../db/bulk.ts'
import type { Reader, Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import type { NewEvent } from '../../economy/events/event.ts'
import { applicationEvent, writeEvents } from '../../economy/events/record-event.ts'
import {
  hadStarted,
  isContinued,
  isRenewal,
  type MembershipRow,
  nextChange,
  sinceOf,
  stateAt,
} from './periods.ts'

/** What the ticket office states about a membership. The fan is locked. */
export type StatedMembership = Pick<
  MembershipRow,
  'ref' | 'userId' | 'kindId' | 'number' | 'holder' | 'startsAt' | 'endsAt'
>

export type MembershipWriting = 'created' | 'changed' | 'unchanged' | 'of_another_fan'

const STATED = ['kindId', 'number', 'holder', 'startsAt', 'endsAt'] as const

/** The members that differ, from and to. */
export const differencesOf = (before: StatedMembership, after: StatedMembership) =>
  STATED.filter(name => textOf(before[name]) !== textOf(after[name])).map(name => ({
    member: name,
    from: textOf(before[name]),
    to: textOf(after[name]),
  }))

const textOf = (value: string | Date | null) => (value instanceof Date ? value.toISOString() : value)

/** As `writeMemberships` would. */
function planWriting(before: StatedMembership | undefined, after: StatedMembership): MembershipWriting {
  if (!before) return 'created'
  if (before.userId !== after.userId) return 'of_another_fan'
  return differencesOf(before, after).length > 0 ? 'changed' : 'unchanged'
}

/** Refs are distinct, and kinds exist. What was written before is not written again. */
export async function writeMemberships(
  tx: Transaction,
  stated: StatedMembership[],
): Promise<MembershipWriting[]> {
  if (stated.length === 0) return []
  const now = tx.now()
  // In one order: two units of work cannot wait for each other.
  const rows = stated
    .toSorted((a, b) => (a.ref < b.ref ? -1 : 1))
    .map(one => ({ ...one, ...stateOf(one, now), createdAt: now, updatedAt: now }))
  const created = await insertNewRows(tx, tx.tables.fanMemberships, rows)
  const isNew = new Set(created.map(({ ref }) => ref))
  const existing = rows.filter(({ ref }) => !isNew.has(ref)).map(({ ref }) => ref)
  const before = new Map((await lockMemberships(tx, existing)).map(row => [row.ref, row]))
  const outcomes = stated.map(one => planWriting(before.get(one.ref), one))
  const written = stated.flatMap((one, index): Change[] => {
    const old = before.get(one.ref)
    if (outcomes[index] === 'created')
      return [{ before: undefined, after: { ...one, ...stateOf(one, now), createdAt: now, updatedAt: now } }]
    return old && outcomes[index] === 'changed'
      ? [{ before: old, after: { ...old, ...one, updatedAt: now } }]
      : []
  })
  await settle(tx, written)
  return outcomes
}

/** Ends a membership now. False: there is none with this ref. */
export async function endMembership(tx: Transaction, ref: string): Promise<boolean> {
  const [row] = await lockMemberships(tx, [ref])
  if (!row) return false
  const now = tx.now()
  const state = stateAt(row, now)
  if (state === 'ended') return true
  const endsAt = state === 'active' ? now : row.startsAt
  await settle(tx, [{ before: row, after: { ...row, endsAt, updatedAt: now } }])
  return true
}

/** What is stored of the state: whether it has begun, and when that changes next. */
const stateOf = (period: Pick<MembershipRow, 'startsAt' | 'endsAt'>, at: Date) => ({
  begun: stateAt(period, at) === 'active',
  nextAt: nextChange(period, at),
})

interface Change {
  /** Undefined: the row was written as it is after it. */
  before: MembershipRow | undefined
  after: MembershipRow
  /** When it applies: what has started or ended since then is told later. Default: now. */
  at?: Date
}

/** Writes the rows that change, and tells what has started or ended by then. */
export async function settle(tx: Transaction, changes: Change[]): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.flatMap(({ before, after, at = tx.now() }) =>
    before ? [{ ...after, ...stateOf(after, at) }] : [],
  )
  await updateRows(tx, tx.tables.fanMemberships, rows, [...STATED, 'begun', 'nextAt', 'updatedAt'])
  const all = Map.groupBy(
    await readMemberships(tx, [...new Set(changes.map(({ after }) => after.userId))]),
    row => row.userId,
  )
  await writeEvents(
    tx,
    changes.flatMap((change): NewEvent[] => eventsOf(tx, change, all.get(change.after.userId) ?? [])),
  )
}

/** `rows`: all of the fan, as they are stored now. */
function eventsOf(
  tx: Transaction,
  { before, after, at = tx.now() }: Change,
  rows: MembershipRow[],
): NewEvent[] {
  const tell = (type: 'started' | 'renewed' | 'ended', row: MembershipRow) => {
    const { ref, kindId, userId, startsAt, endsAt } = row
    const since = sinceOf(row, rows).toISOString()
    const data = { ref, kindId, startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString(), since }
    return applicationEvent(tx, { userId, type: `membership.${type}`, data })
  }
  // Of another kind it is another membership: the one of the former kind ends.
  if (before && before.kindId !== after.kindId)
    return [
      ...(before.begun && !isContinued(before, rows, at) ? [tell('ended', { ...before, endsAt: at })] : []),
      ...eventsOf(tx, { before: undefined, after, at }, rows),
    ]
  const wasBegun = before?.begun ?? false
  if (stateAt(after, at) === 'active') {
    const isLonger = before !== undefined && hadStarted(before, at) && after.endsAt > before.endsAt
    if (wasBegun) return isLonger ? [tell('renewed', after)] : []
    return [tell(isLonger || isRenewal(after, rows) ? 'renewed' : 'started', after)]
  }
  return wasBegun && !isContinued(after, rows, at) ? [tell('ended', after)] : []
}

async function lockMemberships(tx: Transaction, refs: string[]): Promise<MembershipRow[]> {
  return refs.length === 0 ? [] : lockListed(tx, toList(refs))
}

const lockListed = prepared((tx: Transaction, refs: string) => {
  const { fanMemberships } = tx.tables
  return locksForUpdate(
    tx,
    tx
      .select()
      .from(fanMemberships)
      .where(isListed(tx, fanMemberships.ref, refs))
      .orderBy(asc(fanMemberships.ref)),
  )
})

/** Those of these fans. */
export async function readMemberships(reader: Reader, userIds: string[]): Promise<MembershipRow[]> {
  return userIds.length === 0 ? [] : readListed(reader, toList(userIds))
}

const readListed = prepared((reader: Reader, userIds: string) => {
  const { fanMemberships } = reader.tables
  return reader
    .select()
    .from(fanMemberships)
    .where(isListed(reader, fanMemberships.userId, userIds))
})

/** The fans of these memberships, to lock them before the memberships. */
export async function readHolders(reader: Reader, refs: string[]): Promise<string[]> {
  const { fanMemberships } = reader.tables
  const rows = await reader
    .selectDistinct({ userId: fanMemberships.userId })
    .from(fanMemberships)
    .where(inArray(fanMemberships.ref, refs))
  return rows.map(({ userId }) => userId)
}
