/** The files of the archive. The seams of fans are next to their entries. */
import type { ColumnKit } from '../columns.ts'

export function defineArchiveTables({ table, id, text, integer, timestamp }: ColumnKit) {
  /** Files of the archive: compressed rows of ended seasons. */
  const archiveFiles = table('archive_files', {
    /** `SEASON-0001`, without the extension. */
    id: id().primaryKey(),
    /** The season before which rows were archived. */
    seasonId: id().notNull(),
    /** Its rows are older. */
    until: timestamp().notNull(),
    /** Of the file. */
    sha256: text().notNull(),
    bytes: integer().notNull(),
    fans: integer().notNull(),
    writtenAt: timestamp().notNull(),
  })

  return { archiveFiles }
}
