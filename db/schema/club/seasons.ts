/** Seasons. */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from '../columns.ts'

export function defineSeasonsTables(kit: ColumnKit) {
  const { table, id, text, boolean, timestamp } = kit

  /** Active ones do not overlap: an import checks it, one at a time. The importer sets the id, a slug. */
  const seasons = table(
    'seasons',
    {
      id: id().primaryKey(),
      name: text().notNull(),
      /** Inclusive. */
      startsAt: timestamp().notNull(),
      /** Exclusive. */
      endsAt: timestamp().notNull(),
      /** JSON: the texts that exist in several languages. Their columns have the default. */
      translations: text(),
      active: boolean().notNull(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [kit.check('seasons_order', sql`${t.startsAt} < ${t.endsAt}`)],
  )

  return { seasons }
}
