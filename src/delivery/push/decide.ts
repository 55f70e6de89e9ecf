/** Whether a push that is due is sent now: decided when it is claimed, not when it was queued. */
import { and, asc, eq, gte, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { windowAt } from '../../core/windows.ts'
import { refusesMessagesFrom } from '../../identity/relations/visibility.ts'
import { findReachable } from '../../identity/users/sanction-state.ts'
import { settingsOf } from '../../platform/settings/settings.ts'
import { type Preferences, readPreferences } from '../preferences/preferences.ts'
import { type Activity, LIVE_ACTIVITY, readActivities } from './activities.ts'
import { HELD } from './hold.ts'

type DeliveryRow = Tables['pushDeliveries']['$inferSelect']
type DeviceRow = Tables['devices']['$inferSelect']

interface Content {
  content: string | null
  activity: Activity | null
}

export type Decision =
  | ({ send: true; countedAt: Date | null } & Pick<DeviceRow, 'encryptedToken' | 'tokenHash' | 'kind'> &
      Content)
  | { send: false; reason: Reason }
  | { send: false; laterAt: Date }

type Reason =
  | 'device_removed'
  | 'not_reachable'
  | 'switched_off'
  | 'sender_blocked'
  | typeof HELD
  | 'daily_limit'
  | 'expired'
  | 'match_over'

/** A push that waits longer is of no use. */
const MAX_AGE_MS = 2 * 86_400_000

/** Locks all devices of the fans, so that decisions about one fan come one after the other, whichever device they are for. */
const lockDevices = prepared((tx: Transaction, userIds: string) => {
  const { devices } = tx.tables
  return locksForUpdate(
    tx,
    tx
      .select()
      .from(devices)
      .where(isListed(tx, devices.userId, userIds))
      .orderBy(asc(devices.userId), asc(devices.deviceId)),
  )
})

/** The messages of the fans that were counted since. `userIds`: a list. */
export const selectCounted = prepared((reader: Reader, userIds: string, since: Date) => {
  const { userId, messageId, countedAt } = reader.tables.pushDeliveries
  return reader
    .selectDistinct({ userId, messageId, countedAt })
    .from(reader.tables.pushDeliveries)
    .where(and(isListed(reader, userId, userIds), gte(countedAt, since)))
})

/** In the order of the rows. */
export async function decide(tx: Transaction, rows: DeliveryRow[]): Promise<Decision[]> {
  const userIds = [...new Set(rows.map(({ userId }) => userId))]
  const devices = new Map(
    (await lockDevices(tx, toList(userIds))).map(row => [`${row.userId} ${row.deviceId}`, row]),
  )
  const reachable = await findReachable(tx, userIds)
  const preferences = await readPreferences(tx, userIds)
  // Those of campaigns are queued in bulk.
  const held = rows.some(({ bulk }) => bulk) ? await tx.spine.push.findHeld(tx, userIds) : NONE
  const { pushesPerDay } = await settingsOf(tx)
  // Days begin at different times, but none of them a day and a few hours ago.
  const since = new Date(tx.now().getTime() - 26 * 3_600_000)
  const counted = Map.groupBy(await selectCounted(tx, toList(userIds), since), ({ userId }) => userId)
  const deviceOf = ({ userId, deviceId }: DeliveryRow) => devices.get(`${userId} ${deviceId}`)
  const activityOf = await readActivities(tx, rows, deviceOf)
  const days = new Map<string, Date>()
  const dayOf = (zone: string) =>
    days.getOrInsertComputed(zone, () => windowAt('day', tx.now(), zone).startsAt)
  const decisions: Decision[] = []
  for (const row of rows) decisions.push(await decideOne(row))
  return decisions

  async function decideOne(row: DeliveryRow): Promise<Decision> {
    const { userId, messageId, category, senderId, countedAt } = row
    const device = deviceOf(row)
    const wanted = preferences.get(userId)
    if (!device) return skip('device_removed')
    if (!wanted || !reachable.has(userId)) return skip('not_reachable')
    if (held.has(messageId)) return skip(HELD)
    const { encryptedToken, tokenHash, kind } = device
    const target = { send: true, encryptedToken, tokenHash, kind } as const
    const live = activityOf(row)
    if (kind === LIVE_ACTIVITY && !live) return skip('match_over')
    const { activity = null } = live ?? {}
    const content = live ? JSON.stringify(live) : row.content
    // The fan has chosen to see the match, and an update makes no sound.
    if (activity && activity.event !== 'start') return { ...target, content, activity, countedAt }
    // Guarantee of the cast: `enqueuePushes` takes categories.
    if (!wanted.push[category as keyof Preferences['push']]) return skip('switched_off')
    if (senderId !== null && (await refusesMessagesFrom(tx, userId, senderId))) return skip('sender_blocked')
    if (tx.now().getTime() - row.createdAt.getTime() > MAX_AGE_MS && row.attempts > 0) return skip('expired')
    const laterAt = quietUntil(tx.now(), wanted)
    if (laterAt) return { send: false, laterAt }
    const startsAt = dayOf(wanted.timeZone)
    const today = counted.getOrInsertComputed(userId, () => [])
    const ofToday = today.filter(message => message.countedAt !== null && message.countedAt >= startsAt)
    const before = today.find(message => message.messageId === messageId)
    const at = countedAt ?? before?.countedAt ?? null
    if (at === null) {
      if (new Set(ofToday.map(message => message.messageId)).size >= pushesPerDay) return skip('daily_limit')
      today.push({ userId, messageId, countedAt: tx.now() })
    }
    return { ...target, content, activity, countedAt: at ?? tx.now() }
  }
}

const NONE: ReadonlySet<string> = new Set()

const skip = (reason: Reason): Decision => ({ send: false, reason })

/** The end of the quiet hours that contain the instant, also on days when clocks change. Null outside of them. */
export function quietUntil(
  at: Date,
  { quiet, timeZone }: Pick<Preferences, 'quiet' | 'timeZone'>,
): Date | null {
  if (!quiet) return null
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
  const minute = local.hour * 60 + local.minute
  const { from, to } = quiet
  const isQuiet = from < to ? minute >= from && minute < to : minute >= from || minute < to
  if (!isQuiet) return null
  const day = minute < to ? local.toPlainDate() : local.toPlainDate().add({ days: 1 })
  const end = day.toPlainDateTime({ hour: Math.floor(to / 60), minute: to % 60 })
  const first = end.toZonedDateTime(timeZone).epochMilliseconds
  // When clocks go back, the end may come twice, and the first one may be over.
  const last = () => end.toZonedDateTime(timeZone, { disambiguation: 'later' }).epochMilliseconds
  return new Date(first > at.getTime() ? first : last())
}

/**
 * The rows of a service that are due and unleased, or whose lease has ended, the oldest first. In the order of an index alone: all
 * pushes that wait for the end of quiet hours are due at once, and a turn must not sort them.
 */
export const lockDue = prepared(
  (
    tx: Transaction,
    { service, bulk, now, max }: { service: string; bulk: boolean; now: Date; max: number },
  ) => {
    const { pushDeliveries: rows } = tx.tables
    const isDue = sql`${rows.state} = 'pending' and ${rows.leaseEndsAt} is null and ${rows.dueAt} <= ${now}`
    const due = tx
      .select()
      .from(rows)
      .where(and(eq(rows.service, service), eq(rows.bulk, bulk), isDue))
      .orderBy(asc(rows.dueAt))
      .limit(max)
    return locksForUpdate(tx, due)
  },
)

export const lockExpired = prepared(
  (
    tx: Transaction,
    { service, bulk, now, max }: { service: string; bulk: boolean; now: Date; max: number },
  ) => {
    const { pushDeliveries: rows } = tx.tables
    const isExpired = sql`${rows.leaseEndsAt} is not null and ${rows.leaseEndsAt} <= ${now}`
    const expired = tx
      .select()
      .from(rows)
      .where(and(eq(rows.service, service), eq(rows.bulk, bulk), isExpired))
      .orderBy(asc(rows.leaseEndsAt))
      .limit(max)
    return locksForUpdate(tx, expired)
  },
)
