/** The pictures of a fan: which of them is the avatar, what an export has of them, and how an erasure deletes them. */
import { and, asc, eq, inArray, isNull, ne, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { addressOf, fileIdIn, UPLOADED } from '../../core/uploaded-url.ts'
import { isHiddenByModerators } from '../../identity/relations/visibility.ts'
import { UNUSED_MS } from './upload.ts'

/**
 * Notes which picture is the avatar from now on, and returns its address as the profile stores it: the path for a picture of
 * the fan, also of a whole URL. Undefined for the path of a picture that the fan does not have.
 * The record of the fan is written before, whose lock puts concurrent changes in order.
 */
export async function useAvatar(
  tx: Transaction,
  userId: string,
  avatarUrl: string | null,
): Promise<string | null | undefined> {
  const { pictures } = tx.tables
  const fileId = avatarUrl === null ? null : fileIdIn(avatarUrl)
  const ofFan = eq(pictures.userId, userId)
  await tx
    .update(pictures)
    .set({ reviewAt: new Date(tx.now().getTime() + UNUSED_MS) })
    .where(and(ofFan, isNull(pictures.reviewAt), fileId === null ? undefined : ne(pictures.fileId, fileId)))
  if (avatarUrl === null || fileId === null) return avatarUrl
  const [used] = await tx
    .update(pictures)
    .set({ reviewAt: null })
    .where(and(ofFan, eq(pictures.fileId, fileId)))
    .returning()
  if (used) return addressOf(fileId)
  return UPLOADED.test(avatarUrl) ? undefined : avatarUrl
}

/** Whether a system of the club, or a fan who is not hidden by a moderator, has the file. */
export const isFileShown = async (reader: Reader, fileId: string): Promise<boolean> =>
  (await selectShown(reader, fileId)) !== undefined

const selectShown = preparedRow((reader: Reader, fileId: string) => {
  const { pictures } = reader.tables
  const isShown = sql`${pictures.fileId} = ${fileId} and not ${isHiddenByModerators(reader, pictures.userId)}`
  return reader.select({ id: pictures.id }).from(pictures).where(isShown).limit(1)
})

/** Which of these fans have pictures. */
export async function listOwners(reader: Reader, userIds: string[]): Promise<Set<string | null>> {
  const { userId } = reader.tables.pictures
  const rows = await reader
    .selectDistinct({ userId })
    .from(reader.tables.pictures)
    .where(inArray(userId, userIds))
  return new Set(rows.map(row => row.userId))
}

/** The files, which others may have as well, are deleted in the background. */
export async function deletePicturesOf(tx: Transaction, userId: string): Promise<void> {
  const { pictures } = tx.tables
  const deleted = await tx.delete(pictures).where(eq(pictures.userId, userId)).returning()
  await orphanFiles(
    tx,
    deleted.map(({ fileId }) => fileId),
  )
}

/** After rows of `pictures` were deleted: the files are deleted unless other rows refer to them. */
export async function orphanFiles(tx: Transaction, fileIds: string[]): Promise<void> {
  if (fileIds.length === 0) return
  const { pictureFiles } = tx.tables
  await tx.update(pictureFiles).set({ orphanedAt: tx.now() }).where(inArray(pictureFiles.id, fileIds))
}

/** With the files, which are public at their addresses. */
export async function exportPictures(reader: Reader, userId: string) {
  const { pictureFiles, pictures } = reader.tables
  const rows = await reader
    .select({
      fileId: pictures.fileId,
      width: pictureFiles.width,
      height: pictureFiles.height,
      bytes: pictureFiles.bytes,
      createdAt: pictures.createdAt,
    })
    .from(pictures)
    .innerJoin(pictureFiles, eq(pictureFiles.id, pictures.fileId))
    .where(eq(pictures.userId, userId))
    .orderBy(asc(pictures.createdAt), asc(pictures.id))
  return rows.map(({ fileId, ...row }) => ({ url: addressOf(fileId), ...row }))
}
