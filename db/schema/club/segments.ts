/** Segments of fans. */
import type { ColumnKit } from '../columns.ts'

export function defineSegmentsTables(kit: ColumnKit) {
  const { table, id, text, boolean, timestamp } = kit

  /** The importer sets the id, a slug. */
  const segments = table('segments', {
    id: id().primaryKey(),
    name: text().notNull(),
    /** JSON: the texts that exist in several languages. Their columns have the default. */
    translations: text(),
    /** JSON: the conditions. */
    definition: text().notNull(),
    active: boolean().notNull(),
    createdAt: timestamp().notNull(),
    updatedAt: timestamp().notNull(),
  })

  return { segments }
}
