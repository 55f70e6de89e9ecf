/** Versions of the catalogue. */
import type { ColumnKit } from '../columns.ts'

export function defineCatalogueTables(kit: ColumnKit) {
  const { table, id, integer } = kit

  /** Changes with each change of a kind of catalogue entry that processes keep in memory. */
  const catalogueVersions = table('catalogue_versions', {
    kind: id().primaryKey(),
    /** Random, so that it is unique also among databases and their copies. */
    version: id().notNull(),
    /** 1, 2, 3 …: orders the versions of this database. */
    revision: integer().notNull().default(0),
  })

  return { catalogueVersions }
}
