/** Competitions in which fans predict. */
import type { ColumnKit } from '../columns.ts'

export function defineCompetitionsTables(kit: ColumnKit) {
  const { table, id, text, integer, boolean, timestamp } = kit

  /** The rules for predictions of the matches that name it. Nothing refers to it by a key. The importer sets the id, a slug. */
  const competitions = table('competitions', {
    id: id().primaryKey(),
    name: text().notNull(),
    /** `match` or `round`. */
    deadline: id().notNull(),
    /** JSON: points for `exact`, `difference` and `outcome`. */
    points: text().notNull(),
    /** Jokers of a fan per season. Null: none. */
    joker: integer(),
    /** Whether an outcome gives more, the fewer fans chose it. */
    crowd: boolean().notNull().default(false),
    /** JSON: the texts that exist in several languages. Their columns have the default. */
    translations: text(),
    active: boolean().notNull(),
    createdAt: timestamp().notNull(),
    updatedAt: timestamp().notNull(),
  })

  return { competitions }
}
