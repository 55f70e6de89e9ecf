/** Documents that fans agree to or not. */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from '../columns.ts'

export function defineDocumentsTables(kit: ColumnKit) {
  const { table, id, text, boolean, timestamp } = kit

  /** The importer sets the id, a slug. */
  const documents = table(
    'documents',
    {
      id: id().primaryKey(),
      version: id().notNull(),
      purpose: id().notNull(),
      text: text().notNull(),
      required: boolean().notNull(),
      /** JSON: the texts that exist in several languages. Their columns have the default. */
      translations: text(),
      active: boolean().notNull(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [kit.index('documents_purpose').on(t.purpose).where(sql`${t.active}`)],
  )

  return { documents }
}
