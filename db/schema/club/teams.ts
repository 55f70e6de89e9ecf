/** Teams. */
import type { ColumnKit } from '../columns.ts'

export function defineTeamsTables(kit: ColumnKit) {
  const { table, id, text, boolean, timestamp } = kit

  /** Clubs that fans can follow. The importer sets the id, a slug. */
  const teams = table('teams', {
    id: id().primaryKey(),
    name: text().notNull(),
    shortName: text().notNull(),
    city: text(),
    country: text(),
    primaryColor: text(),
    secondaryColor: text(),
    crestUrl: text(),
    /** JSON: the texts that exist in several languages. Their columns have the default. */
    translations: text(),
    active: boolean().notNull(),
    createdAt: timestamp().notNull(),
    updatedAt: timestamp().notNull(),
  })

  return { teams }
}
