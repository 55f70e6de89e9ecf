/** Check-ins at matches. */
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineCheckInsTables(kit: ColumnKit, { users, matches }: Referenced<'users' | 'matches'>) {
  const { table, idOf, timestamp } = kit

  /** The primary key enforces one check-in per fan and match. */
  const checkIns = table(
    'check_ins',
    {
      userId: idOf(users),
      matchId: idOf(matches),
      checkedInAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'check_ins_pk', columns: [t.userId, t.matchId] }),
      // Counts the fans at a match.
      kit.index('check_ins_match').on(t.matchId),
    ],
  )

  return { checkIns }
}

export const fanData = {
  checkIns: {
    userId: { export: 'checkIns', erasure: 'keep', merge: { moveUnless: ['matchId'], otherwise: 'stay' } },
  },
} satisfies FanData<ReturnType<typeof defineCheckInsTables>>
