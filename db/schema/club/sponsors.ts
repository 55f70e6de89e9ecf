/** Sponsors. */
import type { ColumnKit } from '../columns.ts'

export function defineSponsorsTables(kit: ColumnKit) {
  const { table, id, text, boolean, timestamp } = kit

  /** Who supports the club, to name where fans look. The importer sets the id, a slug. */
  const sponsors = table('sponsors', {
    id: id().primaryKey(),
    name: text().notNull(),
    imageUrl: text(),
    url: text(),
    /** JSON: the texts that exist in several languages. Their columns have the default. */
    translations: text(),
    active: boolean().notNull(),
    createdAt: timestamp().notNull(),
    updatedAt: timestamp().notNull(),
  })

  return { sponsors }
}
