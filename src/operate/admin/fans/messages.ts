/** The messages of a fan, and why a device or the fan got none, in words for staff. */
import { and, desc, eq, gt, inArray } from 'drizzle-orm'
import type { Reader, Tables } from '../../../../db/index.ts'
import { toList } from '../../../../db/listed.ts'
import { CATEGORIES, MARKETING } from '../../../club/notifications/categories.ts'
import { windowAt } from '../../../core/windows.ts'
import {
  type Preferences,
  readOwnPreferences,
  readPreferences,
} from '../../../delivery/preferences/preferences.ts'
import { quietUntil, selectCounted } from '../../../delivery/push/decide.ts'
import { QUIET } from '../../../delivery/push/hold.ts'
import { findReachable } from '../../../identity/users/sanction-state.ts'
import { settingsOf } from '../../../platform/settings/settings.ts'
import { requireFan } from './head.ts'
import type { PersonalAccess } from './personal.ts'
import type { FanMessages } from './schema.ts'

type PushRow = Tables['pushDeliveries']['$inferSelect']
type CampaignRow = Tables['messageCampaigns']['$inferSelect']

/** The newest, of messages and of campaigns. */
const SHOWN = 50
const DAY_MS = 86_400_000

/** @throws DomainError `fan_not_found` */
export async function explainFanMessages(
  reader: Reader,
  fanId: string,
  { personal }: PersonalAccess,
): Promise<typeof FanMessages.static> {
  await requireFan(reader, fanId)
  const { messages, pushDeliveries } = reader.tables
  const rows = await reader
    .select()
    .from(messages)
    .where(eq(messages.userId, fanId))
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(SHOWN)
  const ids = rows.map(({ id }) => id)
  const isOwn = and(eq(pushDeliveries.userId, fanId), inArray(pushDeliveries.messageId, ids))
  const pushes = ids.length === 0 ? [] : await reader.select().from(pushDeliveries).where(isOwn)
  const now = reader.now()
  return {
    now: await describeNow(reader, fanId),
    messages: rows.map(({ id, notificationId, category, title, createdAt, readAt, hiddenAt }) => ({
      id,
      notificationId,
      category,
      title: personal && title !== '' ? title : null,
      createdAt: createdAt.toISOString(),
      readAt: readAt?.toISOString() ?? null,
      inbox: hiddenAt === null ? 'shown' : hiddenAt.getTime() === createdAt.getTime() ? 'off' : 'deleted',
      pushes: pushes
        .filter(({ messageId }) => messageId === id)
        .map(push => ({ service: push.service, state: stateOf(push), words: describePush(push, now) })),
    })),
    campaigns: await describeCampaigns(reader, fanId),
  }
}

/** What holds back a message that was written now. Empty: nothing does. */
async function describeNow(reader: Reader, fanId: string): Promise<string[]> {
  const { devices } = reader.tables
  const preferences = (await readPreferences(reader, [fanId])).get(fanId)
  const isReachable = (await findReachable(reader, [fanId])).has(fanId)
  if (!isReachable || !preferences) return ['The fan is suspended, erased or merged: devices get nothing.']
  const [device] = await reader
    .select({ id: devices.deviceId })
    .from(devices)
    .where(eq(devices.userId, fanId))
    .limit(1)
  const { pushesPerDay } = await settingsOf(reader)
  const { startsAt } = windowAt('day', reader.now(), preferences.timeZone)
  const counted = new Set(
    (await selectCounted(reader, toList([fanId]), startsAt)).map(({ messageId }) => messageId),
  )
  const until = quietUntil(reader.now(), preferences)
  return [
    ...(device ? [] : ['The fan has no device.']),
    ...(until ? [`Quiet hours: devices get nothing until ${until.toISOString()}.`] : []),
    ...(counted.size >= pushesPerDay
      ? [`Devices got ${counted.size} messages today, and ${pushesPerDay} are the limit of a day.`]
      : []),
    ...(await describeSwitches(reader, fanId, preferences)),
  ]
}

async function describeSwitches(reader: Reader, fanId: string, inForce: Preferences): Promise<string[]> {
  const chosen = await readOwnPreferences(reader, { userId: fanId })
  return CATEGORIES.flatMap(category => {
    const places = [
      ...(inForce.push[category] ? [] : ['devices']),
      ...(inForce.inbox[category] ? [] : ['the inbox']),
    ].join(' and ')
    if (places === '') return []
    const wants = chosen[category].push || chosen[category].inbox
    const why = category === MARKETING && wants ? 'without the consent of the fan' : 'switched off'
    return [`Category ${category}: ${why} for ${places}.`]
  })
}

/** What a push is, as staff see it. */
const stateOf = ({ state }: PushRow) =>
  // Guarantee of the cast: the table checks it.
  state as 'pending' | 'sent' | 'skipped' | 'failed'

const REASONS: Record<string, string> = {
  device_removed: 'The device was removed before.',
  not_reachable: 'The fan was suspended, erased or merged.',
  switched_off: 'The category was switched off for devices, or marketing had no consent.',
  sender_blocked: 'The fan has blocked or muted who caused it, or is blocked by them.',
  campaign_stopped: 'The campaign is stopped: it is sent when the campaign continues.',
  daily_limit: 'The limit of a day was reached.',
  expired: 'It was two days old, and no attempt had succeeded.',
  match_over: 'The match was over.',
  gone: 'The service said that the device is gone. It was removed.',
  wrong: 'The service refuses the configuration or the message.',
  no_more_attempts: 'All attempts failed.',
}

function describePush({ state, reason, status, dueAt, attempts, endedAt }: PushRow, now: Date): string {
  if (state === 'sent') return `Sent ${(endedAt ?? dueAt).toISOString()}.`
  const answered = status === null ? '' : ` The last answer was ${status}.`
  if (state !== 'pending')
    return `${REASONS[reason ?? ''] ?? `Not sent: ${reason}.`}${state === 'failed' ? answered : ''}`
  if (dueAt <= now) return 'It is being sent.'
  if (reason === QUIET) return `Quiet hours of the fan hold it until ${dueAt.toISOString()}.${answered}`
  const why = attempts === 0 ? 'An earlier push of the device goes first' : `Attempt ${attempts} failed`
  return `${why}: next at ${dueAt.toISOString()}.${answered}`
}

/** Each campaign that was started, also those that the fan is not in. */
async function describeCampaigns(reader: Reader, fanId: string) {
  const { messageCampaigns: campaigns, messageCampaignFans: fans } = reader.tables
  const since = new Date(reader.now().getTime() - 90 * DAY_MS)
  const rows = await reader
    .select({ campaign: campaigns, fan: fans })
    .from(campaigns)
    .leftJoin(fans, and(eq(fans.campaignId, campaigns.id), eq(fans.userId, fanId)))
    .where(gt(campaigns.startedAt, since))
    .orderBy(desc(campaigns.startedAt), desc(campaigns.id))
    .limit(SHOWN)
  return rows.map(({ campaign, fan }) => ({
    id: campaign.id,
    startedAt: campaign.startedAt.toISOString(),
    sent: fan?.state === 'sent',
    words: describeCampaign(campaign, fan),
  }))
}

function describeCampaign(
  { state, listedAt, beginsAt }: CampaignRow,
  fan: { state: string; dueAt: Date } | null,
): string {
  if (fan?.state === 'sent') return 'The fan got it.'
  if (fan?.state === 'skipped')
    return 'Not sent: the category was switched off, or marketing had no consent, when it was the turn of the fan.'
  const stopped = state === 'stopped' ? 'The campaign is stopped. ' : ''
  if (fan) return `${stopped}The fan waits for it: due ${fan.dueAt.toISOString()}.`
  if (listedAt === null) return `${stopped}Its fans are not fixed yet: it begins ${beginsAt.toISOString()}.`
  return `Not sent: the fan was not in its segment at ${listedAt.toISOString()}, when it began.`
}
