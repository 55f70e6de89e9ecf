/** Memberships and season tickets of fans. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineMembershipsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, boolean, timestamp } = kit

  /** Kinds of memberships, which the catalogue states. The importer sets the id, a slug. */
  const memberships = table('memberships', {
    id: id().primaryKey(),
    name: text().notNull(),
    description: text(),
    imageUrl: text(),
    /** JSON: an array of texts. */
    benefits: text().notNull(),
    /** JSON: the texts that exist in several languages. Their columns have the default. */
    translations: text(),
    active: boolean().notNull(),
    createdAt: timestamp().notNull(),
    updatedAt: timestamp().notNull(),
  })

  const fanMemberships = table(
    'fan_memberships',
    {
      /** The id of the ticket office. */
      ref: id().primaryKey(),
      userId: idOf(users),
      kindId: idOf(memberships),
      /** What the card shows, with leading zeros. */
      number: text(),
      /** Name on the card. */
      holder: text(),
      startsAt: timestamp().notNull(),
      /** Exclusive. The same as `startsAt`: it was ended before it started. */
      endsAt: timestamp().notNull(),
      /** Whether its start was recorded as an event, and its end was not. */
      begun: boolean().notNull(),
      /** When it starts or ends next; null once it has ended. */
      nextAt: timestamp(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.check('fan_memberships_order', sql`${t.startsAt} <= ${t.endsAt}`),
      kit.index('fan_memberships_fan').on(t.userId, t.kindId),
      // Finds memberships that start or end.
      kit.index('fan_memberships_due').on(t.nextAt),
    ],
  )

  return { memberships, fanMemberships }
}

export const fanData = {
  fanMemberships: {
    userId: { export: 'memberships', erasure: 'delete', merge: 'move' },
  },
} satisfies FanData<ReturnType<typeof defineMembershipsTables>>
