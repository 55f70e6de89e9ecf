/** Versions and history of the catalogue. */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from '../columns.ts'

export function defineCatalogueTables(kit: ColumnKit) {
  const { table, id, text, integer, timestamp } = kit

  /** Changes with each change of the entries that processes keep in memory (`events`), and of the history of a kind (`history:KIND`). */
  const catalogueVersions = table('catalogue_versions', {
    kind: id().primaryKey(),
    /** Random, so that it is unique even among copies of a database. For a history: its last revision. */
    version: id().notNull(),
    /** 1, 2, 3 …: the order of versions of this database. For a history: the number of its rows. */
    revision: integer().notNull().default(0),
    /** `events`: from then on, events are written in short. A day after the migration, since older versions cannot read that. */
    foldsFrom: timestamp(),
  })

  /** The append-only history of entries: triggers refuse UPDATE and DELETE (hand-written migrations). */
  const catalogueRevisions = table(
    'catalogue_revisions',
    {
      /** `team`, `reward`, `pack` … */
      kind: id().notNull(),
      entryId: id().notNull(),
      /** 1, 2, 3 … of the entry. 0: its state before its first change with a history. */
      revision: integer().notNull(),
      /** JSON of the whole entry after the change. */
      entry: text().notNull(),
      source: id().notNull(),
      /** The member of the club's staff, if the entry was changed in the console. */
      staffId: id(),
      staffName: text(),
      reason: text(),
      createdAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'catalogue_revisions_pk', columns: [t.kind, t.entryId, t.revision] }),
      kit.check('catalogue_revisions_source', sql`${t.source} in ('before', 'import', 'console', 'script')`),
      kit.check('catalogue_revisions_before', sql`(${t.revision} = 0) = (${t.source} = 'before')`),
      kit.check('catalogue_revisions_revision', sql`${t.revision} >= 0`),
    ],
  )

  return { catalogueVersions, catalogueRevisions }
}
