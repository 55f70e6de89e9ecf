/** Messages for the inbox of the example app. */
import type { Database } from '../../db/index.ts'
import type { Notification } from '../../src/club/notifications/notifications.ts'
import { writeMessages } from '../../src/fan/messages/write-messages.ts'

/** As long as they can be, without a place to break them, and in Arabic. */
export const LONG_MESSAGES = [
  {
    title: 'Wolfeschlegelsteinhausen'.repeat(5),
    body: 'Bergerdorffwelchevoralternw'.repeat(18).slice(0, 500),
  },
  {
    title: 'تنتظرك مكافأة جديدة من النادي في هذا الموسم',
    body: 'يمكنك المطالبة بها قبل نهاية الشهر، ثم تنتهي صلاحيتها. '.repeat(8),
  },
  { title: 'Goal', body: '1:0' },
]

interface Written extends Pick<Notification, 'title' | 'body'> {
  url?: string
  push?: boolean
}

let causes = 0

/** The last one is the newest. */
export async function writeInbox(db: Database, userId: string, messages: Written[]): Promise<void> {
  for (const { title, body, url = null, push = false } of messages) {
    const id = `written-${++causes}`
    const notification: Notification = {
      id,
      eventType: id,
      category: 'match',
      title,
      body,
      url,
      push,
      imageUrl: null,
      when: [],
      isBuiltIn: false,
    }
    const cause = { userId, cause: id, type: id, data: {} }
    await db.write(tx => writeMessages(tx, new Map([[id, [notification]]]), [cause]))
  }
}
