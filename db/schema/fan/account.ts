/** Files with the data of a fan, which the fan asked for. A background task writes them, encrypted and in parts. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineAccountTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, timestamp } = kit

  const dataExports = table(
    'data_exports',
    {
      id: id().primaryKey(),
      userId: idOf(users),
      /** The day of the club on which the fan asked for it: one a day. */
      day: id().notNull(),
      createdAt: timestamp().notNull(),
      expiresAt: timestamp().notNull(),
      /** When an attempt may begin. While one runs: its latest end, which also identifies the attempt. Null when the file is complete. */
      leaseEndsAt: timestamp(),
      completedAt: timestamp(),
      /** Number of parts that are stored. */
      parts: integer().notNull(),
    },
    t => [
      kit.uniqueIndex('data_exports_day').on(t.userId, t.day),
      kit.index('data_exports_due').on(t.leaseEndsAt).where(sql`${t.leaseEndsAt} is not null`),
      kit.index('data_exports_expiry').on(t.expiresAt),
      kit.check('data_exports_completed', sql`(${t.completedAt} is null) = (${t.leaseEndsAt} is not null)`),
    ],
  )

  const dataExportParts = table(
    'data_export_parts',
    {
      exportId: idOf(dataExports),
      /** 0, 1, 2 … */
      part: integer().notNull(),
      /** Compressed with gzip, then encrypted. Export and part are bound to it. */
      content: text().notNull(),
    },
    t => [kit.primaryKey({ name: 'data_export_parts_pk', columns: [t.exportId, t.part] })],
  )

  return { dataExports, dataExportParts }
}

export const fanData = {
  // A file of before a merge lacks the data of the other record.
  dataExports: { userId: { export: 'dataExports', erasure: 'delete', merge: 'delete' } },
} satisfies FanData<ReturnType<typeof defineAccountTables>>
