/** What fans want to receive, where it differs from the default. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function definePreferencesTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, idOf, text, integer, boolean } = kit

  /** `account` and `orders` have no column for the inbox: they cannot be switched off there. */
  const notificationPreferences = table(
    'notification_preferences',
    {
      userId: idOf(users).primaryKey(),
      accountPush: boolean().notNull(),
      ordersPush: boolean().notNull(),
      rewardsPush: boolean().notNull(),
      rewardsInbox: boolean().notNull(),
      matchPush: boolean().notNull(),
      matchInbox: boolean().notNull(),
      socialPush: boolean().notNull(),
      socialInbox: boolean().notNull(),
      marketingPush: boolean().notNull(),
      marketingInbox: boolean().notNull(),
      /** Minutes of the day in the fan's zone. Null: no quiet hours. Across midnight if `quietFrom` is later. */
      quietFrom: integer(),
      quietTo: integer(),
      /** IANA name. Null: the zone of the club. */
      timeZone: text(),
    },
    t => [
      kit.check(
        'notification_preferences_quiet',
        sql`(${t.quietFrom} is null) = (${t.quietTo} is null) and (${t.quietFrom} is null or ${t.quietFrom} <> ${t.quietTo})`,
      ),
      kit.check(
        'notification_preferences_minutes',
        sql`${t.quietFrom} is null or (${t.quietFrom} between 0 and 1439 and ${t.quietTo} between 0 and 1439)`,
      ),
    ],
  )

  return { notificationPreferences }
}

export const fanData = {
  notificationPreferences: {
    userId: {
      export: 'notificationPreferences',
      erasure: 'delete',
      merge: { moveUnless: [], otherwise: 'delete' },
    },
  },
} satisfies FanData<ReturnType<typeof definePreferencesTables>>
