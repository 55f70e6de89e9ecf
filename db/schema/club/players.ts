/** Players of the teams. */
import type { ColumnKit } from '../columns.ts'

export function definePlayersTables(kit: ColumnKit) {
  const { table, id, text, integer, boolean, timestamp } = kit

  /** Fans vote for players. The importer sets the id, a slug. */
  const players = table('players', {
    id: id().primaryKey(),
    /** A player keeps the team of a deactivated entry. Nothing refers to it by a key. */
    teamId: text(),
    name: text().notNull(),
    /** On the shirt. */
    number: integer(),
    position: text(),
    imageUrl: text(),
    /** JSON: the texts that exist in several languages. Their columns have the default. */
    translations: text(),
    active: boolean().notNull(),
    createdAt: timestamp().notNull(),
    updatedAt: timestamp().notNull(),
  })

  return { players }
}
