/** Messages of moments: matches to predict, and memberships that end. Tasks of any number of processes find the fans in batches. */
import { and, eq, inArray, isNull } from 'drizzle-orm'
import { restAfterCpu } from '../../../db/batches.ts'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { describeMatch, listClosing } from '../../club/matches/closing.ts'
import type { Moment } from '../../club/notifications/moments.ts'
import { type Notification, readListening } from '../../club/notifications/notifications.ts'
import { windowAt } from '../../core/windows.ts'
import { lockFans } from '../../identity/users/locks.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'
import { selectEnding } from '../../play/memberships/ending.ts'
import { selectPredictors } from '../../play/predictions/unpredicted.ts'
import { writeMessages } from './write-messages.ts'

const HOUR_MS = 3_600_000
/** How long before the predictions of a match close. */
const MATCH_MOMENTS = { 'match.opened': 72 * HOUR_MS, 'match.not_tipped': 3 * HOUR_MS } as const
const MEMBERSHIP_MS = 30 * 24 * HOUR_MS
const FANS_TOGETHER = 1_000

type MatchMoment = keyof typeof MATCH_MOMENTS
type Listening = ReadonlyMap<string, Notification[]>

interface Running {
  db: Database
  stopping?: () => boolean
}

/** Returns the number of messages. */
export async function remindFans({ db, stopping = () => false }: Running): Promise<number> {
  const listening = await readListening(db.read)
  let sum = 0
  for (const moment of ['match.not_tipped', 'match.opened'] as const)
    if (listening.has(moment)) sum += await remindOfMatches({ db, stopping }, listening, moment)
  if (listening.has('membership.ending')) sum += await remindOfMemberships({ db, stopping }, listening)
  return sum
}

async function remindOfMatches(
  { db, stopping = () => false }: Running,
  listening: Listening,
  moment: MatchMoment,
) {
  const closing = await listClosing(db.read, MATCH_MOMENTS[moment])
  const done = await readFinished(
    db.read,
    moment,
    closing.map(({ id }) => id),
  )
  let sum = 0
  // One that is entered in its last hours has one message, about these.
  const isLate = ({ closesAt }: { closesAt: Date }) =>
    moment === 'match.opened' &&
    listening.has('match.not_tipped') &&
    closesAt.getTime() - db.read.now().getTime() <= MATCH_MOMENTS['match.not_tipped']
  for (const match of closing.filter(({ id }) => !done.has(id))) {
    if (isLate(match)) continue
    const data = await describeMatch(db.read, match)
    while (!stopping()) {
      const began = process.cpuUsage()
      const batch = await db.write(tx => remindBatch(tx, listening, moment, data))
      if (!batch) break
      sum += batch.written
      if (batch.isLast) break
      await restAfterCpu(began)
    }
  }
  return sum
}

async function readFinished(reader: Reader, moment: Moment, matchIds: string[]): Promise<Set<string>> {
  if (matchIds.length === 0) return new Set()
  const { matchReminders: reminders } = reader.tables
  const rows = await reader
    .select({ matchId: reminders.matchId, finishedAt: reminders.finishedAt })
    .from(reminders)
    .where(and(eq(reminders.moment, moment), inArray(reminders.matchId, matchIds)))
  return new Set(rows.flatMap(({ matchId, finishedAt }) => (finishedAt ? [matchId] : [])))
}

/** Null: another process has finished it. Its row is locked, so that each batch of fans is looked at once. */
async function remindBatch(
  tx: Transaction,
  listening: Listening,
  moment: MatchMoment,
  data: { matchId: string },
): Promise<{ written: number; isLast: boolean } | null> {
  const { matchReminders: reminders } = tx.tables
  const { matchId } = data
  await tx
    .insert(reminders)
    .values({ matchId, moment, cursor: '', startedAt: tx.now(), finishedAt: null })
    .onConflictDoNothing()
  const isOwn = and(eq(reminders.matchId, matchId), eq(reminders.moment, moment))
  const [reminder] = await locksForUpdate(
    tx,
    tx
      .select()
      .from(reminders)
      .where(and(isOwn, isNull(reminders.finishedAt))),
  )
  if (!reminder) return null
  const fans = await selectPredictors(tx, matchId, reminder.cursor, FANS_TOGETHER)
  const userIds = fans.flatMap(({ userId, isPredicted }) => (isPredicted ? [] : [userId]))
  // An erasure, which deletes messages, and this run one after the other.
  await lockFans(tx, userIds)
  const causes = userIds.map(userId => ({ userId, cause: `${moment} ${matchId}`, type: moment, data }))
  const { length: written } = await writeMessages(tx, listening, causes)
  const isLast = fans.length < FANS_TOGETHER
  await tx
    .update(reminders)
    .set({ cursor: fans.at(-1)?.userId ?? reminder.cursor, finishedAt: isLast ? tx.now() : null })
    .where(isOwn)
  return { written, isLast }
}

/** The date, in the zone of the club. */
const lastDayBefore = (end: Date, timeZone: string): string =>
  windowAt('day', new Date(end.getTime() - 1), timeZone).key

/** Looks at all memberships that end in this time: what was told before is left out. */
async function remindOfMemberships({ db, stopping = () => false }: Running, listening: Listening) {
  const timeZone = await timeZoneOf(db.read)
  let [sum, after] = [0, '']
  while (!stopping()) {
    const began = process.cpuUsage()
    const now = db.read.now()
    const until = new Date(now.getTime() + MEMBERSHIP_MS)
    const ending = await selectEnding(db.read, { now, until, after, limit: FANS_TOGETHER })
    const causes = ending.map(({ ref, userId, kindId, endsAt }) => ({
      userId,
      cause: `membership.ending ${ref} ${endsAt.toISOString()}`,
      type: 'membership.ending' satisfies Moment,
      data: { ref, kindId, endsAt: endsAt.toISOString(), lastDay: lastDayBefore(endsAt, timeZone) },
    }))
    const told = await readTold(
      db.read,
      causes.map(({ userId }) => userId),
      causes.map(({ cause }) => cause),
    )
    const fresh = causes.filter(({ userId, cause }) => !told.has(`${userId} ${cause}`))
    if (fresh.length > 0)
      sum += await db.write(async tx => {
        await lockFans(
          tx,
          fresh.map(({ userId }) => userId),
        )
        return (await writeMessages(tx, listening, fresh)).length
      })
    const last = ending.at(-1)
    if (ending.length < FANS_TOGETHER || !last) break
    after = last.ref
    await restAfterCpu(began)
  }
  return sum
}

async function readTold(reader: Reader, userIds: string[], causes: string[]): Promise<Set<string>> {
  const { messages } = reader.tables
  const rows = await reader
    .select({ userId: messages.userId, cause: messages.cause })
    .from(messages)
    .where(
      and(
        isListed(reader, messages.userId, toList(userIds)),
        isListed(reader, messages.cause, toList(causes)),
      ),
    )
  return new Set(rows.map(({ userId, cause }) => `${userId} ${cause}`))
}
