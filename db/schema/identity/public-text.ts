/** The versions of the terms that fans have accepted. */
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function definePublicTextTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, timestamp } = kit

  const termsAcceptances = table(
    'terms_acceptances',
    {
      userId: idOf(users),
      version: id().notNull(),
      acceptedAt: timestamp().notNull(),
      /** Null: in force. */
      withdrawnAt: timestamp(),
    },
    t => [kit.primaryKey({ name: 'terms_acceptances_pk', columns: [t.userId, t.version] })],
  )

  return { termsAcceptances }
}

export const fanData = {
  // The acceptance is evidence for the club.
  termsAcceptances: {
    userId: { export: 'terms', erasure: 'keep', merge: { moveUnless: ['version'], otherwise: 'stay' } },
  },
} satisfies FanData<ReturnType<typeof definePublicTextTables>>
