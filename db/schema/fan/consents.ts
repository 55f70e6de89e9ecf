/** What fans have agreed to and withdrawn, for each purpose: rows are added and never changed. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineConsentsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  const consents = table(
    'consents',
    {
      userId: idOf(users),
      purpose: id().notNull(),
      /** 1, 2, 3 … for each fan and purpose. The last one counts. */
      seq: integer().notNull(),
      granted: boolean().notNull(),
      /** What the fan has read. */
      documentId: id().notNull(),
      version: id().notNull(),
      /** Where it was stated. */
      source: text().notNull(),
      changedAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'consents_pk', columns: [t.userId, t.purpose, t.seq] }),
      kit.check('consents_seq_positive', sql`${t.seq} >= 1`),
    ],
  )

  return { consents }
}

export const fanData = {
  // A consent and its withdrawal are evidence for the club. That of a merged fan says nothing of the other one.
  consents: { userId: { export: 'consents', erasure: 'keep', merge: 'stay' } },
} satisfies FanData<ReturnType<typeof defineConsentsTables>>
