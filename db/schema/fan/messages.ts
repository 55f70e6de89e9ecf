/** The inbox of each fan. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineMessagesTables(kit: ColumnKit, { users, matches }: Referenced<'users' | 'matches'>) {
  const { table, id, idOf, text, timestamp } = kit

  /** A message in the language of when it was written. The unique index writes one for each notification and cause. */
  const messages = table(
    'messages',
    {
      id: id().primaryKey(),
      userId: idOf(users),
      notificationId: id().notNull(),
      /** The event, as `SOURCE ID`, or the moment. */
      cause: id().notNull(),
      category: id().notNull(),
      title: text().notNull(),
      body: text().notNull(),
      url: text(),
      imageUrl: text(),
      createdAt: timestamp().notNull(),
      readAt: timestamp(),
      /** When the fan deleted it, and its texts became empty; from the beginning of one that only devices get. */
      hiddenAt: timestamp(),
    },
    t => [
      kit.uniqueIndex('messages_cause').on(t.userId, t.notificationId, t.cause),
      kit.index('messages_inbox').on(t.userId, t.createdAt, t.id).where(sql`${t.hiddenAt} is null`),
      kit.index('messages_unread').on(t.userId).where(sql`${t.readAt} is null and ${t.hiddenAt} is null`),
      // The retention deletes in this order.
      kit.index('messages_created').on(t.createdAt),
    ],
  )

  /** How far a reminder of a match is: its fans are written in batches, in the order of their ids. */
  const matchReminders = table(
    'match_reminders',
    {
      matchId: idOf(matches),
      /** The moment, such as `match.not_tipped`. */
      moment: id().notNull(),
      /** The last fan that was looked at. Empty at the beginning. */
      cursor: id().notNull(),
      startedAt: timestamp().notNull(),
      /** Null while fans are left. */
      finishedAt: timestamp(),
    },
    t => [kit.primaryKey({ name: 'match_reminders_pk', columns: [t.matchId, t.moment] })],
  )

  return { messages, matchReminders }
}

export const fanData = {
  messages: {
    userId: {
      export: 'messages',
      erasure: 'delete',
      merge: { moveUnless: ['notificationId', 'cause'], otherwise: 'delete' },
    },
  },
} satisfies FanData<ReturnType<typeof defineMessagesTables>>
