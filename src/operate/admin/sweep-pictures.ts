/** Deletes unused pictures, and files without an owner. The next run completes work that a crash or failure interrupted. */
import { and, type Column, eq, exists, inArray, isNotNull, like, lte, notExists, sql } from 'drizzle-orm'
import { inBatches } from '../../../db/batches.ts'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { type AnyTable, columnOf, shapeOf } from '../../../db/schema/shape.ts'
import { orphanFiles } from '../../club/pictures/owned.ts'
import type { PictureStore } from '../../club/pictures/store.ts'
import { UNUSED_MS } from '../../club/pictures/upload.ts'
import { addressOf, fileIdIn, nameOf } from '../../core/uploaded-url.ts'
import { wasHiddenAfter } from '../../identity/relations/visibility.ts'

const FILES_AT_ONCE = 100

interface SweepDeps {
  db: Database
  /** Null: this server has none. */
  pictureStore: PictureStore | null
}

/** Returns the number of files that were deleted. */
export async function sweepPictures({ db, pictureStore }: SweepDeps): Promise<number> {
  if (!pictureStore) return 0
  await inBatches(db, reviewPictures)
  return deleteOrphans(db, pictureStore)
}

/** Deletes pictures that are due and not used. Returns how many were due. */
async function reviewPictures(tx: Transaction, size: number): Promise<number> {
  const { pictures, users } = tx.tables
  const isDue = lte(pictures.reviewAt, tx.now())
  const due = await tx.select().from(pictures).where(isDue).orderBy(pictures.reviewAt).limit(size)
  if (due.length === 0) return 0
  const address = sql`${addressOf('').replace('.webp', '')} || ${pictures.fileId} || ${'.webp'}`
  const avatarOf = tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, pictures.userId), eq(users.avatarUrl, address)))
  const inCatalogue = await listUsed(tx)
  const isOf = (ids: string[]) => and(inArray(pictures.id, ids), isDue)
  const hidden = await tx
    .select({ id: pictures.id })
    .from(pictures)
    .where(and(isDue, wasHiddenAfter(tx, pictures.userId, pictures.createdAt)))
  const isKept = new Set(hidden.map(({ id }) => id))
  // Pictures that are hidden with their fan are kept for the same time: see `addPicture`.
  const used = due.filter(
    ({ id, source, fileId }) => (source !== null && inCatalogue.has(fileId)) || isKept.has(id),
  )
  const unused = due.filter(picture => !used.includes(picture)).map(({ id }) => id)
  const isAvatar = and(isOf(unused), exists(avatarOf))
  await tx.update(pictures).set({ reviewAt: null }).where(isAvatar)
  const reviewAt = new Date(tx.now().getTime() + UNUSED_MS)
  await tx
    .update(pictures)
    .set({ reviewAt })
    .where(isOf(used.map(({ id }) => id)))
  // If a fan uses a picture meanwhile, `reviewAt` changes, and the database checks this condition again after that commit.
  const deleted = await tx
    .delete(pictures)
    .where(and(isOf(unused), notExists(avatarOf)))
    .returning()
  await orphanFiles(
    tx,
    deleted.map(({ fileId }) => fileId),
  )
  return due.length
}

/** The files that the catalogue names, in any URL column of any table except the tables of fans. */
async function listUsed(reader: Reader): Promise<Set<string>> {
  const used = new Set<string>()
  for (const table of Object.values(reader.tables)) {
    if (table === reader.tables.users) continue
    for (const column of pictureColumnsOf(table))
      for (const url of await readAddresses(reader, table, column)) used.add(fileIdIn(url) ?? '')
  }
  return used
}

/** `imageUrl`, `crestUrl` and the like, the `images` of products, and the `options` of questions. */
export const pictureColumnsOf = (table: AnyTable) =>
  shapeOf(table)
    .columns.filter(
      ({ property }) => property.endsWith('Url') || property === 'images' || property === 'options',
    )
    .map(({ property }) => columnOf(table, property))

/** The addresses in a column of pictures that can be those of uploads. */
export async function readAddresses(reader: Reader, table: AnyTable, column: Column): Promise<string[]> {
  const rows = await reader
    .selectDistinct({ value: sql<string>`${column}` })
    .from(table)
    .where(like(column, '%/uploads/%'))
  return rows.flatMap(({ value }) => (value.startsWith('[') ? addressesIn(value) : [value]))
}

/** Guarantee of the cast: a column has addresses, or JSON lists of them, or of objects with one. */
function addressesIn(json: string): string[] {
  const list = JSON.parse(json) as (string | { imageUrl?: string | null })[]
  return list.flatMap(one => (typeof one === 'string' ? one : (one.imageUrl ?? [])))
}

async function deleteOrphans(db: Database, store: PictureStore): Promise<number> {
  const { pictureFiles } = db.tables
  let deleted = 0
  for (;;) {
    const orphaned = await db.read
      .select({ id: pictureFiles.id })
      .from(pictureFiles)
      .where(lte(pictureFiles.orphanedAt, db.read.now()))
      .limit(FILES_AT_ONCE)
    for (const { id } of orphaned) if (await deleteFile(db, store, id)) deleted++
    if (orphaned.length < FILES_AT_ONCE) return deleted
  }
}

/** False if the file is in use. Uploads of the same file are refused from the first unit of work to the last. */
async function deleteFile(db: Database, store: PictureStore, id: string): Promise<boolean> {
  const isOrphan = await db.write(tx => beginDeletion(tx, id))
  if (!isOrphan) return false
  await store.delete(nameOf(id))
  const { pictureFiles } = db.tables
  await db.write(tx =>
    tx.delete(pictureFiles).where(and(eq(pictureFiles.id, id), isNotNull(pictureFiles.deletingAt))),
  )
  return true
}

async function beginDeletion(tx: Transaction, id: string): Promise<boolean> {
  const { pictureFiles, pictures } = tx.tables
  const owners = tx.select({ id: pictures.id }).from(pictures).where(eq(pictures.fileId, pictureFiles.id))
  const isDue = and(eq(pictureFiles.id, id), lte(pictureFiles.orphanedAt, tx.now()))
  const begun = await tx
    .update(pictureFiles)
    .set({ deletingAt: tx.now() })
    .where(and(isDue, notExists(owners)))
    .returning()
  if (begun.length > 0) return true
  await tx
    .update(pictureFiles)
    .set({ orphanedAt: null })
    .where(and(isDue, exists(owners)))
  return false
}
