/** Templates of messages. */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from '../columns.ts'

export function defineNotificationsTables(kit: ColumnKit) {
  const { table, id, text, integer, boolean, timestamp } = kit

  /** The importer sets the id, a slug. One with the id of a built-in one replaces it. */
  const notifications = table(
    'notifications',
    {
      id: id().primaryKey(),
      /** Type of the events, or the moment. Null: a campaign. */
      eventType: id(),
      /** Instant of a campaign, or `YYYY-MM-DDTHH:MM`, which is local time of each fan. */
      at: text(),
      segment: id(),
      /** JSON: the conditions on the data of the event. */
      when: text(),
      category: id().notNull(),
      title: text().notNull(),
      body: text().notNull(),
      url: text(),
      imageUrl: text(),
      push: boolean().notNull(),
      /** Minutes of a window in which a fan gets one message of it. */
      digest: integer(),
      sponsorId: id(),
      /** JSON: the texts that exist in several languages. Their columns have the default. */
      translations: text(),
      active: boolean().notNull(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [kit.check('notifications_trigger', sql`(${t.eventType} is null) <> (${t.at} is null)`)],
  )

  return { notifications }
}
