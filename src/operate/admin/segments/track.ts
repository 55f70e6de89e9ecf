/**
 * Records who has entered and left tracked segments. A task compares fans with what was recorded, some at a time. Each change is
 * one conditional statement, so that it is recorded once, however often processes stop, and however many run.
 */
import { and, asc, eq, gt, inArray, lte, ne, sql } from 'drizzle-orm'
import { restAfter } from '../../../../db/batches.ts'
import type { Database, Reader, Tables, Transaction } from '../../../../db/index.ts'
import { segmentEventId } from '../../../club/segments/event-id.ts'
import { findSegment, parseWhen } from '../../../club/segments/segment-kind.ts'
import { applicationEvent } from '../../../economy/events/record-event.ts'
import { recordNotices } from '../../../economy/events/record-notices.ts'
import { lockAccounts } from '../../../economy/points/account.ts'
import { lockFans } from '../../../identity/users/locks.ts'
import { isMember } from './segments.ts'

type SegmentRow = Tables['segments']['$inferSelect']

/** Fans that one statement compares. */
const TOGETHER = 500

interface TrackOptions {
  size?: number
  stopping?: () => boolean
}

/** Any number of processes may run it at the same time. Returns the number of changes. */
export async function trackSegments(
  { db }: { db: Database },
  { size = TOGETHER, stopping = () => false }: TrackOptions = {},
): Promise<number> {
  const { segments, users } = db.tables
  const tracked = await db.read
    .select()
    .from(segments)
    .where(eq(segments.tracked, true))
    .orderBy(asc(segments.id))
  let changes = 0
  for (const segment of tracked)
    for (let after = ''; !stopping(); ) {
      const began = performance.now()
      const fans = await db.read
        .select({ id: users.id })
        .from(users)
        .where(gt(users.id, after))
        .orderBy(asc(users.id))
        .limit(size)
      const upTo = fans.at(-1)?.id
      if (upTo === undefined) break
      const changed = await findChanged(db.read, segment, { after, upTo })
      if (changed.length > 0) changes += await db.write(tx => recordChanges(tx, segment.id, changed))
      after = upTo
      await restAfter(began)
    }
  return changes
}

/** A segment that is switched off has no members. */
const memberSql = (reader: Reader, { active, definition }: SegmentRow) =>
  active ? sql`(${isMember(reader, parseWhen(definition))})` : sql`(1 = 0)`

/** The segment as it was when the task began: `recordChanges` reads it again. */
async function findChanged(
  reader: Reader,
  segment: SegmentRow,
  { after, upTo }: { after: string; upTo: string },
) {
  const { users, segmentMembers: rows } = reader.tables
  const [segmentId, isIn] = [segment.id, memberSql(reader, segment)]
  const found = await reader
    .select({ id: users.id })
    .from(users)
    .leftJoin(rows, and(eq(rows.segmentId, segmentId), eq(rows.userId, users.id)))
    .where(and(gt(users.id, after), lte(users.id, upTo), ne(isIn, sql`coalesce(${rows.isMember}, 1 = 0)`)))
    .orderBy(asc(users.id))
  return found.map(({ id }) => id)
}

/** Judges these fans again. Returns the number of changes. */
async function recordChanges(tx: Transaction, segmentId: string, userIds: string[]): Promise<number> {
  // An erasure or a merge, which deletes the rows, and this run one after the other.
  await lockFans(tx, userIds)
  // As each unit of work that records events of fans.
  await lockAccounts(tx, userIds)
  const segment = await findSegment(tx, segmentId)
  if (!segment?.tracked) return 0
  const isIn = memberSql(tx, segment)
  const { users, segmentMembers: rows } = tx.tables
  const inside = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.id, userIds), isIn))
    .orderBy(asc(users.id))
  const insideIds = new Set(inside.map(({ id }) => id))
  const outsideIds = userIds.filter(id => !insideIds.has(id))
  const changedAt = tx.now()
  const set = { changes: sql`${rows.changes} + 1`, changedAt }
  const changed = { userId: rows.userId, changes: rows.changes }
  const entered =
    inside.length === 0
      ? []
      : await tx
          .insert(rows)
          .values(inside.map(({ id }) => ({ segmentId, userId: id, isMember: true, changes: 1, changedAt })))
          .onConflictDoUpdate({
            target: [rows.segmentId, rows.userId],
            set: { ...set, isMember: true },
            setWhere: eq(rows.isMember, false),
          })
          .returning(changed)
  const left =
    outsideIds.length === 0
      ? []
      : await tx
          .update(rows)
          .set({ ...set, isMember: false })
          .where(
            and(eq(rows.segmentId, segmentId), inArray(rows.userId, outsideIds), eq(rows.isMember, true)),
          )
          .returning(changed)
  const eventsOf = (type: 'segment.entered' | 'segment.left', of: typeof entered) =>
    of.map(({ userId, changes }) =>
      applicationEvent(tx, {
        userId,
        type,
        data: { segmentId },
        eventId: segmentEventId({ segmentId, userId, changes }),
      }),
    )
  const told = [...eventsOf('segment.entered', entered), ...eventsOf('segment.left', left)]
  await recordNotices(
    tx,
    told.toSorted((a, b) => (a.userId < b.userId ? -1 : 1)),
  )
  return told.length
}
