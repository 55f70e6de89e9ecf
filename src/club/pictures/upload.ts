/**
 * Uploads. The row of a file is committed before the file is written, and the row of its owner afterwards, so
 * that files that a crash leaves are found by rows: see `operate/admin/sweep-pictures.ts`.
 */
import { hash } from 'node:crypto'
import { and, eq, isNotNull, isNull, ne, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { countRows } from '../../../db/pages.ts'
import { NOBODY, type Subject, type Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { addressOf, nameOf } from '../../core/uploaded-url.ts'
import { isHiddenByModerators, wasHiddenAfter } from '../../identity/relations/visibility.ts'
import { writeAsFan } from '../../identity/sanctions/write-as-fan.ts'
import type { EncodePicture } from './encode.ts'
import { pictureProblems } from './problems.ts'
import type { Picture } from './schema.ts'
import type { PictureStore } from './store.ts'

/** Maximum pictures of a fan, including the avatar. */
export const MAX_PICTURES = 20
/** How long unused pictures are kept, and how long a file waits for the row of its owner. */
export const UNUSED_MS = 86_400_000
const UPLOAD_MS = 3_600_000

export const MAX_SIDE = { avatar: 512, catalogue: 1_600 } as const

export interface PictureDeps {
  db: Database
  log: Logger
  /** Null: this server has none. */
  pictureStore: PictureStore | null
  encodePicture: EncodePicture
}

export type Owner = { userId: string } | { source: string }

export interface StoredFile extends Omit<Picture, 'url'> {
  id: string
}

/**
 * Checks whether the fan may upload a picture, before the expensive decoding and storing. `addPicture` checks
 * again and decides.
 * @throws DomainError `invalid_token`, `suspended`, `picture_quota_reached`
 */
export async function requireMayUpload(db: Database, caller: Subject & Viewer): Promise<void> {
  if (caller.userId === NOBODY) return
  await db.write(tx =>
    writeAsFan(tx, caller, { allowedWhenSuspended: false }, ({ userId }) => requireQuota(tx, userId)),
  )
}

/** Encodes an upload and writes its file, which is deleted again unless `addPicture` follows. `fan`: as for `encodePicture`. */
export async function storeFile(
  { db, log, pictureStore, encodePicture }: PictureDeps,
  upload: Uint8Array,
  maxSide: number,
  fan?: string,
): Promise<StoredFile> {
  if (!pictureStore) throw unavailable('This server stores no pictures: UPLOADS is not set.', 3_600)
  const { bytes, width, height } = await encodePicture(upload, maxSide, fan)
  const file = { id: hash('sha256', bytes, 'hex'), width, height, bytes: bytes.length }
  if (!(await db.write(tx => announceFile(tx, file)))) throw beingDeleted()
  try {
    await pictureStore.put(nameOf(file.id), bytes)
  } catch (error) {
    log.error({ error }, 'a picture cannot be stored')
    throw unavailable('The store of pictures does not respond as expected.', 5)
  }
  return file
}

/** False if the file is being deleted. */
async function announceFile(tx: Transaction, file: StoredFile): Promise<boolean> {
  const { pictureFiles } = tx.tables
  const orphanedAt = new Date(tx.now().getTime() + UPLOAD_MS)
  const rows = await tx
    .insert(pictureFiles)
    .values({ ...file, orphanedAt })
    .onConflictDoUpdate({
      target: pictureFiles.id,
      set: { orphanedAt },
      setWhere: isNull(pictureFiles.deletingAt),
    })
    .returning()
  return rows.length > 0
}

/** Notes who has a file. A repeat changes nothing, except that it may remain unused for another day. */
export async function addPicture(tx: Transaction, owner: Owner, file: StoredFile): Promise<Picture> {
  const { pictureFiles, pictures } = tx.tables
  if ('userId' in owner) {
    await requireQuota(tx, owner.userId, file.id)
    await requireNotHidden(tx, owner.userId, file.id)
  }
  const [kept] = await tx
    .update(pictureFiles)
    .set({ orphanedAt: null })
    .where(and(eq(pictureFiles.id, file.id), isNull(pictureFiles.deletingAt)))
    .returning()
  if (!kept) throw beingDeleted()
  const now = tx.now()
  const reviewAt = new Date(now.getTime() + UNUSED_MS)
  const isTheirs = and(ownedBy(tx, owner), eq(pictures.fileId, file.id))
  const added = await tx
    .insert(pictures)
    .values({ id: tx.newId(), fileId: file.id, ...owner, createdAt: now, reviewAt })
    .onConflictDoNothing()
    .returning()
  if (added.length === 0)
    await tx
      .update(pictures)
      .set({ reviewAt })
      .where(and(isTheirs, isNotNull(pictures.reviewAt)))
  const { id, ...members } = file
  return { url: addressOf(id), ...members }
}

/** Concurrent uploads of a fan can exceed the quota by their number, which the rate limit bounds. */
async function requireQuota(tx: Transaction, userId: string, fileId?: string): Promise<void> {
  const { pictures } = tx.tables
  const isOther = fileId === undefined ? undefined : ne(pictures.fileId, fileId)
  const others = await countRows(tx, pictures, and(eq(pictures.userId, userId), isOther))
  if (others < MAX_PICTURES) return
  const detail = `A fan has at most ${MAX_PICTURES} pictures.`
  throw new DomainError(pictureProblems.picture_quota_reached, { detail })
}

/**
 * Prevents other fans from uploading a picture that moderators have hidden with a fan. It allows pictures
 * that the hidden fan has uploaded later or that somebody else shows: otherwise hidden fans could block
 * pictures for others.
 */
async function requireNotHidden(tx: Transaction, userId: string, fileId: string): Promise<void> {
  const { pictures } = tx.tables
  const isOfFile = eq(pictures.fileId, fileId)
  const owners = await tx
    .select({
      isOwn: sql<boolean>`coalesce(${pictures.userId} = ${userId}, false)`.mapWith(Boolean),
      isHidden: isHiddenByModerators(tx, pictures.userId).mapWith(Boolean),
      wasHidden: wasHiddenAfter(tx, pictures.userId, pictures.createdAt).mapWith(Boolean),
    })
    .from(pictures)
    .where(isOfFile)
  if (owners.some(({ isOwn, isHidden }) => isOwn || !isHidden)) return
  if (owners.some(({ wasHidden }) => wasHidden)) throw new DomainError(pictureProblems.picture_hidden)
}

const ownedBy = ({ tables: { pictures } }: Pick<Reader, 'tables'>, owner: Owner) =>
  'userId' in owner ? eq(pictures.userId, owner.userId) : eq(pictures.source, owner.source)

const beingDeleted = () => unavailable('This picture is being deleted.', 2)

const unavailable = (detail: string, retryAfter: number) =>
  new DomainError(pictureProblems.uploads_unavailable, { detail, retryAfter })
