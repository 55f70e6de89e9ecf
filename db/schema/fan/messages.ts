/** The inbox of each fan, and the campaigns that write to many of them. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineMessagesTables(kit: ColumnKit, { users, matches }: Referenced<'users' | 'matches'>) {
  const { table, id, idOf, text, integer, timestamp } = kit

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
      /** When the fan opened its `url`. */
      clickedAt: timestamp(),
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

  /** A campaign that staff have started, with what it sends: later changes of the entry do not change it. */
  const messageCampaigns = table(
    'message_campaigns',
    {
      /** The id of its notification. */
      id: id().primaryKey(),
      state: id().notNull(),
      /** JSON: the notification as it was at the start. */
      content: text().notNull(),
      /** JSON: the conditions of its segment as they were at the start. Null: all fans. */
      definition: text(),
      startedAt: timestamp().notNull(),
      /** When the first fans are due. */
      beginsAt: timestamp().notNull(),
      /** When its fans were fixed. */
      listedAt: timestamp(),
      stoppedAt: timestamp(),
      /** Since when pushes are queued again that the stop has held back; null when all are. */
      resumedAt: timestamp(),
      finishedAt: timestamp(),
      /** Fans when they were fixed. The counts stay when fans are erased or merged. */
      fans: integer().notNull(),
      sent: integer().notNull(),
      skipped: integer().notNull(),
    },
    t => [
      kit.index('message_campaigns_state').on(t.state, t.beginsAt),
      kit.check(
        'message_campaigns_state',
        sql`${t.state} in ('scheduled', 'running', 'stopped', 'finished')`,
      ),
      kit.check('message_campaigns_finished', sql`(${t.state} = 'finished') = (${t.finishedAt} is not null)`),
      kit.check(
        'message_campaigns_counts',
        sql`${t.sent} >= 0 and ${t.skipped} >= 0 and ${t.sent} + ${t.skipped} <= ${t.fans}`,
      ),
    ],
  )

  /** A fan of a campaign. The primary key sends it once. */
  const messageCampaignFans = table(
    'message_campaign_fans',
    {
      campaignId: idOf(messageCampaigns),
      userId: idOf(users),
      state: id().notNull(),
      dueAt: timestamp().notNull(),
      /** Null unless it is sent. */
      messageId: id(),
    },
    t => [
      kit.primaryKey({ name: 'message_campaign_fans_pk', columns: [t.campaignId, t.userId] }),
      kit
        .index('message_campaign_fans_due')
        .on(t.campaignId, t.dueAt, t.userId)
        .where(sql`${t.state} = 'queued'`),
      kit.index('message_campaign_fans_fan').on(t.userId),
      kit.check('message_campaign_fans_state', sql`${t.state} in ('queued', 'sent', 'skipped')`),
      kit.check('message_campaign_fans_message', sql`(${t.state} = 'sent') = (${t.messageId} is not null)`),
    ],
  )

  return { messages, matchReminders, messageCampaigns, messageCampaignFans }
}

export const fanData = {
  messages: {
    userId: {
      export: 'messages',
      erasure: 'delete',
      merge: { moveUnless: ['notificationId', 'cause'], otherwise: 'delete' },
    },
  },
  messageCampaignFans: {
    userId: {
      export: 'messageCampaigns',
      erasure: 'delete',
      merge: { moveUnless: ['campaignId'], otherwise: 'delete' },
    },
  },
} satisfies FanData<ReturnType<typeof defineMessagesTables>>
