/** Fans who invited fans. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineReferralsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, timestamp } = kit

  /** The code with which a fan invites others. After a merge a fan has several. */
  const referralCodes = table(
    'referral_codes',
    {
      /** In its normal form. */
      code: id().primaryKey(),
      userId: idOf(users),
      createdAt: timestamp().notNull(),
    },
    t => [kit.index('referral_codes_fan').on(t.userId, t.createdAt)],
  )

  /** The primary key enforces that a fan is invited once. */
  const referrals = table(
    'referrals',
    {
      inviteeId: idOf(users).primaryKey(),
      inviterId: idOf(users),
      invitedAt: timestamp().notNull(),
      /** When the invited fan did what the club pays for. Null: not yet, or when the inviter was at the limit. */
      completedAt: timestamp(),
      /** The event by which it was completed. */
      source: id(),
      eventId: id(),
      /** When what it earned was taken back. It can never be completed again. */
      voidedAt: timestamp(),
    },
    t => [
      kit.index('referrals_inviter').on(t.inviterId, t.completedAt),
      kit.check('referrals_of_two_fans', sql`${t.inviteeId} <> ${t.inviterId}`),
      kit.check('referrals_completed_by_event', sql`(${t.completedAt} is null) = (${t.eventId} is null)`),
    ],
  )

  return { referralCodes, referrals }
}

export const fanData = {
  referralCodes: {
    userId: { export: 'referral', erasure: 'delete', merge: 'move' },
  },
  referrals: {
    inviteeId: {
      export: 'referral',
      erasure: 'keep',
      merge: {
        rule: 'the row stays; it is voided if its fan is merged, or had an account before, and deleted if its inviter is the other fan',
      },
    },
    inviterId: { export: 'referral', erasure: 'keep', merge: 'move' },
  },
} satisfies FanData<ReturnType<typeof defineReferralsTables>>
