/** Queues the state of matches for the Live Activities that show them, and starts those of fans of the teams. */
import { and, eq, inArray } from 'drizzle-orm'
import { restAfter } from '../../../db/batches.ts'
import type { Database, Reader, Tables, Transaction } from '../../../db/index.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { listBetween } from '../../club/matches/around.ts'
import type { MatchRow } from '../../club/matches/matches.ts'
import { lockLiveService, queueActivities } from '../../delivery/push/activities.ts'
import { findRegistered, findShown, selectActivities } from '../../delivery/push/activity-devices.ts'
import { lockFans } from '../../identity/users/locks.ts'

type ReminderRow = Tables['matchReminders']['$inferSelect']

/** Activities end with their match: others are of no interest. */
const AROUND_MS = 2 * 86_400_000
const DEVICES_TOGETHER = 500
/** A cursor: ids and device ids have no space. */
const SEPARATOR = ' '

const UPDATES = 'activity.update'
const STARTS = 'activity.start'
type Moment = typeof UPDATES | typeof STARTS

interface Running {
  db: Database
  stopping?: () => boolean
}

/** Returns the number of devices for which a state was queued. */
export async function showMatches({ db, stopping = () => false }: Running): Promise<number> {
  let sum = 0
  for (const moment of [UPDATES, STARTS] as const)
    for (const match of await selectChanged(db.read, moment))
      while (!stopping()) {
        const began = performance.now()
        const batch = await queueBatch(db, match, moment)
        if (!batch) break
        sum += batch.queued
        if (batch.isLast) break
        await restAfter(began)
      }
  return sum
}

/** Matches that have changed since their devices were told, or that have begun. */
async function selectChanged(reader: Reader, moment: Moment): Promise<MatchRow[]> {
  const now = reader.now().getTime()
  const near = await listBetween(reader, new Date(now - AROUND_MS), new Date(now + AROUND_MS))
  const isStart = moment === STARTS
  const possible = isStart ? near.filter(({ active, status }) => active && status === 'live') : near
  const reminders = await readReminders(reader, possible, moment)
  const left = possible.filter(match => {
    const reminder = reminders.get(match.id)
    return !reminder || reminder.finishedAt === null || !isOfState(reminder, match, moment)
  })
  if (isStart) return left
  const ids = left.map(({ id }) => id)
  const shown = await findShown(reader, ids)
  return left.filter(({ id }) => shown.has(id))
}

async function readReminders(reader: Reader, among: MatchRow[], moment: Moment) {
  const { matchReminders: reminders } = reader.tables
  if (among.length === 0) return new Map<string, ReminderRow>()
  const ids = among.map(({ id }) => id)
  const rows = await reader
    .select()
    .from(reminders)
    .where(and(eq(reminders.moment, moment), inArray(reminders.matchId, ids)))
  return new Map(rows.map(row => [row.matchId, row]))
}

/** Null: another process was quicker. */
async function queueBatch(db: Database, match: MatchRow, moment: Moment) {
  const known = (await readReminders(db.read, [match], moment)).get(match.id)
  const cursor = known && isOfState(known, match, moment) ? known.cursor : ''
  const [userId = '', deviceId = ''] = cursor.split(SEPARATOR)
  const starting = moment === STARTS
  const reading = { starting, after: { userId, deviceId }, max: DEVICES_TOGETHER }
  const page = await selectActivities(db.read, match, reading)
  const last = page.at(-1)
  return db.write(async tx => {
    await lockFans(
      tx,
      page.map(({ userId }) => userId),
    )
    if (!(await lockReminder(tx, match, moment, cursor))) return null
    // An erasure, which has waited for this unit of work or was before it, deletes devices.
    const devices = await findRegistered(tx, page)
    if (!starting) await lockLiveService(tx)
    await queueActivities(tx, match, devices, { again: !starting })
    const isLast = page.length < DEVICES_TOGETHER
    const { matchReminders: reminders } = tx.tables
    await tx
      .update(reminders)
      .set({
        cursor: last ? [last.userId, last.deviceId].join(SEPARATOR) : cursor,
        finishedAt: isLast ? tx.now() : null,
      })
      .where(and(eq(reminders.matchId, match.id), eq(reminders.moment, moment)))
    return { queued: devices.length, isLast }
  })
}

/** An update begins again with each change; a start happens once. */
const isOfState = ({ startedAt }: ReminderRow, { updatedAt }: MatchRow, moment: Moment) =>
  moment === STARTS || startedAt.getTime() === updatedAt.getTime()

/** Whether it is as it was found. */
async function lockReminder(
  tx: Transaction,
  match: MatchRow,
  moment: Moment,
  cursor: string,
): Promise<boolean> {
  const { matchReminders: reminders } = tx.tables
  const fresh = { cursor: '', startedAt: match.updatedAt, finishedAt: null }
  await tx
    .insert(reminders)
    .values({ matchId: match.id, moment, ...fresh })
    .onConflictDoNothing()
  const isOwn = and(eq(reminders.matchId, match.id), eq(reminders.moment, moment))
  const [row] = await locksForUpdate(tx, tx.select().from(reminders).where(isOwn))
  if (!row) return false
  if (isOfState(row, match, moment)) return row.finishedAt === null && row.cursor === cursor
  // Another process has seen a later state.
  if (row.startedAt > match.updatedAt) return false
  await tx.update(reminders).set(fresh).where(isOwn)
  return true
}
