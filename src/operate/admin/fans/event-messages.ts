/** What notifications made of an event of a fan, by the catalogue, the preferences and the segments of now. */
import { and, eq } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import type { Notification } from '../../../club/notifications/notifications.ts'
import { readListening } from '../../../club/notifications/notifications.ts'
import { readPreferences } from '../../../delivery/preferences/preferences.ts'
import { type EventKey, nameOf } from '../../../economy/events/event-rows.ts'
import { findToldEvent } from '../../../economy/events/folded.ts'
import { judge } from '../../../fan/messages/judge.ts'
import { isWanted } from '../../../fan/messages/write-messages.ts'
import { readLocales } from '../../../identity/users/locales.ts'

interface Told extends EventKey {
  userId: string
  type: string
  recordedAt: Date
}

export async function explainMessages(reader: Reader, event: Told) {
  const listening = (await readListening(reader)).get(event.type) ?? []
  const explained = []
  for (const notification of listening) {
    const why = await explain(reader, notification, event)
    explained.push({
      notificationId: notification.id,
      written: why === null,
      words: why ?? 'It wrote a message.',
    })
  }
  return explained
}

/** Null: the fan has its message. */
async function explain(reader: Reader, notification: Notification, event: Told): Promise<string | null> {
  const { messages } = reader.tables
  const { userId } = event
  const isOf = and(eq(messages.userId, userId), eq(messages.notificationId, notification.id))
  const [own] = await reader
    .select({ id: messages.id })
    .from(messages)
    .where(and(isOf, eq(messages.cause, nameOf(event))))
  if (own) return null
  const wanted = (await readPreferences(reader, [userId])).get(userId)
  const locale = (await readLocales(reader, [userId])).get(userId)
  if (!wanted || locale === undefined) return 'The fan is erased or merged.'
  const data = (await findToldEvent(reader, event))?.data ?? null
  const judged = data === null ? null : judge(notification, JSON.parse(data), locale)
  if (judged?.outcome === 'unmet') return `The condition on ${judged.condition.path} is not met.`
  if (judged?.outcome === 'missing')
    return `The event has no value at ${judged.pointer}, which the text needs: no message was written.`
  if (!isWanted(notification, wanted))
    return `Category ${notification.category} is switched off, or marketing has no consent.`
  const { segment, digest } = notification
  if (segment != null && !(await reader.spine.segments.isInSegment(reader, userId, segment)))
    return `The fan is not in the segment ${segment}.`
  if (digest != null)
    return `The fan gets one message in ${digest} minutes, and an earlier event has written it.`
  return 'None is known: the notification is newer than the event, something has changed since, or the message is older than 90 days.'
}
