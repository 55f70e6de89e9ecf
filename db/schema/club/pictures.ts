/** Uploaded pictures: the files in the store, and their owners. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function definePicturesTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, integer, timestamp } = kit

  /** A row is committed before its file is written, and deleted after its file is deleted, so that every file has a row. */
  const pictureFiles = table(
    'picture_files',
    {
      /** SHA-256 of the file, in lower-case hex: its name in the store. */
      id: id().primaryKey(),
      width: integer().notNull(),
      height: integer().notNull(),
      bytes: integer().notNull(),
      /** Time from which an unused file is deleted; null while a fan or an entry uses it. */
      orphanedAt: timestamp(),
      /** Set before the file is deleted: from then on an upload of the same file waits. */
      deletingAt: timestamp(),
    },
    t => [kit.index('picture_files_orphaned').on(t.orphanedAt).where(sql`${t.orphanedAt} is not null`)],
  )

  /** The uploader of each file: a fan, or a system of the club with its server key. Several can upload the same file. */
  const pictures = table(
    'pictures',
    {
      id: id().primaryKey(),
      fileId: idOf(pictureFiles),
      userId: id().references(() => users.id),
      /** Source of the server key. */
      source: id(),
      createdAt: timestamp().notNull(),
      /** Time from which it is deleted if it is not used; null while it is the fan's avatar. */
      reviewAt: timestamp(),
    },
    t => [
      kit.uniqueIndex('pictures_fan_unique').on(t.userId, t.fileId).where(sql`${t.userId} is not null`),
      kit.uniqueIndex('pictures_source_unique').on(t.source, t.fileId).where(sql`${t.source} is not null`),
      kit.index('pictures_file').on(t.fileId),
      kit.index('pictures_review').on(t.reviewAt).where(sql`${t.reviewAt} is not null`),
      kit.check('pictures_one_owner', sql`(${t.userId} is null) <> (${t.source} is null)`),
    ],
  )

  return { pictureFiles, pictures }
}

export const fanData = {
  pictures: {
    userId: { export: 'pictures', erasure: 'delete', merge: { moveUnless: ['fileId'], otherwise: 'delete' } },
  },
} satisfies FanData<ReturnType<typeof definePicturesTables>>
