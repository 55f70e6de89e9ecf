/** Files for imports, which arrive in the console. */
import type { ColumnKit } from '../columns.ts'

export function defineFilesTables(kit: ColumnKit) {
  const { table, id, integer, text, timestamp } = kit

  /** Files that staff uploaded for an import. They are uploaded in parts, and deleted after the import or a day later. */
  const importFiles = table(
    'import_files',
    {
      id: id().primaryKey(),
      /** Such as `import-fans`. */
      command: id().notNull(),
      /** The file name from the browser. */
      name: text().notNull(),
      bytes: integer().notNull(),
      createdAt: timestamp().notNull(),
      /** Time when all parts were uploaded. The file does not change afterwards. */
      completedAt: timestamp(),
      expiresAt: timestamp().notNull(),
    },
    t => [kit.index('import_files_expiry').on(t.expiresAt)],
  )

  const importFileParts = table(
    'import_file_parts',
    {
      fileId: kit.idOf(importFiles),
      /** 0, 1, 2 … */
      part: integer().notNull(),
      /** Number of line feeds in this part. */
      lines: integer().notNull(),
      /** Base64 of its bytes, compressed with gzip. */
      content: text().notNull(),
    },
    t => [kit.primaryKey({ columns: [t.fileId, t.part] })],
  )

  return {
    importFiles,
    importFileParts,
  }
}
