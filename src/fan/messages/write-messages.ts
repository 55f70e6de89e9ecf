/** Writes the messages of events and moments, in the unit of work that records or finds them. */
import { insertNewRows } from '../../../db/bulk.ts'
import type { Sources, Tables, Transaction } from '../../../db/index.ts'
import type { Category } from '../../club/notifications/categories.ts'
import type { Notification } from '../../club/notifications/notifications.ts'
import { rememberMembers } from '../../club/segments/spine.ts'
import { readPreferences, type Switches } from '../../delivery/preferences/preferences.ts'
import { enqueuePushes } from '../../delivery/push/enqueue.ts'
import { readLocales } from '../../identity/users/locales.ts'
import { createJudge } from './judge.ts'

/** Why a fan may get messages. */
export interface Cause {
  userId: string
  /** The event, as `SOURCE ID`, or the moment: of each notification a fan gets one message for it. */
  cause: string
  /** Type of the event, or the moment. */
  type: string
  data: unknown
  /** Another fan who caused it: no device of a fan who has blocked or muted this one gets the message. */
  senderId?: string
}

type MessageRow = Tables['messages']['$inferSelect']

/** Returns the messages. What was written before, or is deleted, is not written again. */
export async function writeMessages(
  tx: Transaction,
  listening: ReadonlyMap<string, Notification[]>,
  causes: Cause[],
  { bulk }: { bulk?: true } = {},
): Promise<MessageRow[]> {
  const userIds = [...new Set(causes.map(({ userId }) => userId))]
  const locales = await readLocales(tx, userIds)
  const preferences = await readPreferences(tx, userIds)
  const isMember = rememberMembers(tx)
  const judge = createJudge()
  const rows: MessageRow[] = []
  /** Those that devices get, with the fans who caused them. */
  const toDevices = new Map<string, string | null>()
  let missing = 0
  for (const cause of causes) {
    const wanted = preferences.get(cause.userId)
    const locale = locales.get(cause.userId)
    // An erased fan has no locale.
    if (!wanted || locale === undefined) continue
    for (const notification of listening.get(cause.type) ?? []) {
      if (!isWanted(notification, wanted)) continue
      const { segment } = notification
      if (segment != null && !(await isMember(cause.userId, segment))) continue
      const judged = judge(notification, cause.data, locale)
      if (judged.outcome === 'missing') missing++
      if (judged.outcome !== 'rendered') continue
      const row = { ...messageRowOf(tx, notification, cause, wanted), ...judged.texts }
      rows.push(row)
      if (notification.push === true) toDevices.set(row.id, cause.senderId ?? null)
    }
  }
  const written = await insertNewRows(tx, tx.tables.messages, firstOfEach(rows))
  const pushes = written.flatMap(row => {
    const senderId = toDevices.get(row.id)
    return senderId === undefined ? [] : [{ ...pushOf(row), senderId }]
  })
  await enqueuePushes(tx, pushes, { bulk })
  for (const { userId } of written) tx.spine.inbox.changed.announce(tx, { userId })
  if (written.length > 0)
    tx.spine.messages.decided.announce(tx, { outcome: 'written', count: written.length })
  if (missing > 0) tx.spine.messages.decided.announce(tx, { outcome: 'missing', count: missing })
  return written
}

/** When it is sent, the fan's preferences, quiet hours and limits decide. A device shows a message once. */
const pushOf = ({ id, userId, category, title, body, url, imageUrl }: MessageRow) => ({
  userId,
  messageId: id,
  // Guarantee of the cast: only notifications write it.
  category: category as Category,
  title,
  body,
  url,
  imageUrl,
  collapseKey: id,
  notBefore: null,
})

/** Whether the inbox or a device of the fan gets it. */
export const isWanted = ({ category, push }: Notification, wanted: Switches) =>
  wanted.inbox[category] || (push === true && wanted.push[category])

/** Without its texts. */
export function messageRowOf(
  sources: Pick<Sources, 'newId' | 'now'>,
  notification: Notification,
  { userId, cause }: Pick<Cause, 'userId' | 'cause'>,
  wanted: Switches,
) {
  const { id, category, imageUrl, digest } = notification
  const now = sources.now()
  return {
    id: sources.newId(),
    userId,
    notificationId: id,
    cause: digest == null ? cause : windowOf(now, digest),
    category,
    imageUrl,
    createdAt: now,
    readAt: null,
    clickedAt: null,
    hiddenAt: wanted.inbox[category] ? null : now,
  }
}

/** A window of a digest: the first event in it is the cause of its message. */
const windowOf = (now: Date, minutes: number) => `window ${Math.floor(now.getTime() / (minutes * 60_000))}`

/** On PostgreSQL one statement must not insert the same key twice. */
function firstOfEach(rows: MessageRow[]): MessageRow[] {
  const byKey = new Map<string, MessageRow>()
  for (const row of rows) {
    const key = `${row.userId} ${row.notificationId} ${row.cause}`
    if (!byKey.has(key)) byKey.set(key, row)
  }
  return [...byKey.values()]
}
