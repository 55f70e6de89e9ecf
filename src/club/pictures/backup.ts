/**
 * The pictures of a backup: files by hash in the folder `pictures` next to it, shared by all backups of the folder, and a
 * manifest of those that the backup needs.
 */
import { hash } from 'node:crypto'
import { existsSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { BackupFault, type Reader } from '../../../db/index.ts'
import { openSqliteCopy } from '../../../db/sqlite/copy.ts'
import { realSources } from '../../core/sources.ts'
import { nameOf } from '../../core/uploaded-url.ts'
import type { UploadsConfig } from '../../platform/config/uploads.ts'
import {
  folderOf,
  isManifest,
  manifestOf,
  partialOf,
  readManifest,
  writeManifest,
} from './backup-manifest.ts'
import { createPictureStore, type PictureStore } from './store.ts'

/** Remains of a killed backup are deleted after this time. */
const LEFT_MS = 86_400_000
const AT_ONCE = 8

/** Pictures done, of `total`. */
export type OnPicture = (done: number, total: number) => void

export interface BackedUpPictures {
  /** In the backup. */
  files: number
  /** Number of files that no earlier backup of the folder had. */
  copied: number
  /** Pictures whose file is missing in the store or has other bytes. They are not in the backup. */
  missing: number
}

/** The ids of all files that fans or systems of the club have uploaded. */
export async function listPictures(read: Reader): Promise<string[]> {
  const { fileId } = read.tables.pictures
  const rows = await read.selectDistinct({ fileId }).from(read.tables.pictures).orderBy(fileId)
  return rows.map(row => row.fileId)
}

/** The same for a database file without writers. */
export async function listPicturesIn(path: string): Promise<string[]> {
  const { read, close } = openSqliteCopy(path, realSources)
  try {
    return await listPictures(read)
  } finally {
    close()
  }
}

/**
 * @throws BackupFault if the configured store cannot contain the pictures of the database. `instead`: another way out, for
 * the message
 */
export function requireStore(
  ids: string[],
  uploads: UploadsConfig | null,
  instead = '',
): PictureStore | null {
  if (ids.length === 0) return null
  const refuse = (why: string) =>
    new BackupFault(
      `The database has ${ids.length} pictures, and ${why}: set UPLOADS as for the API${instead}.`,
    )
  if (!uploads) throw refuse('UPLOADS is not set here')
  if (uploads.kind === 'directory' && !isDirectory(uploads.path))
    throw refuse(`${uploads.path} (UPLOADS) is not a directory`)
  return createPictureStore(uploads, realSources)
}

/** For `requireStore`, if the command can leave pictures out. */
export const LEAVE_OUT = ', or leave them out with --no-pictures'

/** @throws BackupFault if the folder is the store itself, since the backup would delete files that no backup needs */
export function refuseFolderOfStore(file: string, uploads: UploadsConfig | null): void {
  const folder = folderOf(file)
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : resolve(path))
  if (uploads?.kind === 'directory' && real(uploads.path) === real(folder))
    throw new BackupFault(`${folder} is UPLOADS, the store itself: choose another folder for backups.`)
}

const isDirectory = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Copies pictures that the folder does not have yet, and writes the manifest: see `publishManifest`. */
export async function backUpPictures(
  ids: string[],
  store: PictureStore,
  file: string,
  onPicture: OnPicture,
): Promise<BackedUpPictures> {
  const kept = createPictureStore({ kind: 'directory', path: folderOf(file) }, realSources)
  const partial = partialOf(manifestOf(file))
  // From here on, `removeUnused` of another backup keeps these files.
  writeManifest(partial, ids)
  const present = await listNames(kept)
  const missing = new Set<string>()
  let copied = 0
  await inParallel(ids, onPicture, async id => {
    if (present.has(nameOf(id))) return
    const bytes = await readIntact(store, id)
    if (bytes) {
      await kept.put(nameOf(id), Buffer.from(bytes))
      copied++
    } else missing.add(id)
  })
  const backedUp = ids.filter(id => !missing.has(id))
  if (backedUp.length === 0)
    throw new BackupFault(
      `None of the ${ids.length} pictures of the database is in UPLOADS: set it as for the API${LEAVE_OUT}.`,
    )
  const listed = await listNames(kept)
  const lost = backedUp.filter(id => !listed.has(nameOf(id)))
  if (lost.length > 0)
    throw new BackupFault(`Pictures in ${folderOf(file)} were deleted meanwhile (${lost.length}): try again.`)
  writeManifest(partial, backedUp)
  return { files: backedUp.length, copied, missing: missing.size }
}

/** Deletes pictures that no backup of the folder contains, and manifests of deleted backups. */
export async function removeUnused(file: string, now: Date): Promise<void> {
  const folder = dirname(resolve(file))
  const store = createPictureStore({ kind: 'directory', path: folderOf(file) }, realSources)
  const isOld = (modifiedAt: Date) => now.getTime() - modifiedAt.getTime() > LEFT_MS
  const stored = await Array.fromAsync(store.list())
  const used = new Set<string>()
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const [, backup, isPartial] = /^(.+)\.pictures(\.partial)?$/.exec(name) ?? []
    if (backup === undefined || !isManifest(path)) continue
    const isLeft = isPartial !== undefined || !existsSync(join(folder, backup))
    if (isLeft && isOld(statSync(path).mtime)) rmSync(path, { force: true })
    else for (const id of readManifest(path)) used.add(nameOf(id))
  }
  for (const { name, modifiedAt } of stored) {
    // Other programs may put their files here.
    const isOurs = /^[0-9a-f]{64}\.webp/.test(name)
    const isDraft = !name.endsWith('.webp')
    if (isOurs && !used.has(name) && (!isDraft || isOld(modifiedAt))) await store.delete(name)
  }
}

export interface RestoredPictures {
  /** Written into the store. */
  restored: number
  /** Were in the store already. */
  present: number
  /** Were missing when the backup was made, and still are. */
  missing: number
}

/**
 * Writes the pictures of a backup into the store, and deletes nothing there. Null: the backup has no pictures. @throws
 * BackupFault if pictures of the backup are missing or damaged, after the others were written
 */
export async function restorePictures(
  ids: string[],
  file: string,
  uploads: UploadsConfig | null,
  { dryRun, onPicture }: { dryRun: boolean; onPicture: OnPicture },
): Promise<RestoredPictures | null> {
  const manifest = manifestOf(file)
  if (!existsSync(manifest)) return null
  const listed = new Set(readManifest(manifest))
  if (!uploads && listed.size > 0)
    throw new BackupFault(
      `${file} has pictures, and UPLOADS is not set here: set it as for the API, or restore the database alone with --no-pictures.`,
    )
  if (!uploads) return { restored: 0, present: 0, missing: 0 }
  const store = createPictureStore(uploads, realSources)
  const kept = createPictureStore({ kind: 'directory', path: folderOf(file) }, realSources)
  const count = { restored: 0, present: 0, missing: 0 }
  const broken: string[] = []
  await inParallel(ids, onPicture, async id => {
    if (await readIntact(store, id)) return void count.present++
    const bytes = await readIntact(kept, id)
    if (bytes) {
      if (!dryRun) await store.put(nameOf(id), Buffer.from(bytes))
      count.restored++
    } else if (listed.has(id)) broken.push(id)
    else count.missing++
  })
  if (broken.length > 0)
    throw new BackupFault(
      `Of the pictures of ${basename(file)}, ${broken.length} are missing or damaged in ${folderOf(file)}, such as ${nameOf(broken[0] ?? '')}. ` +
        'The database is not replaced. With --no-pictures it is, and the other pictures are in the store already.',
    )
  return count
}

/** Null if the file is missing or its bytes do not match the hash. */
async function readIntact(store: PictureStore, id: string) {
  const bytes = await store.get(nameOf(id))
  return bytes && hash('sha256', bytes, 'hex') === id ? bytes : null
}

async function listNames(store: PictureStore): Promise<Set<string>> {
  const names = new Set<string>()
  for await (const { name } of store.list()) names.add(name)
  return names
}

/** Runs `work` for each id, a few at a time. */
export async function inParallel(
  ids: string[],
  onPicture: OnPicture,
  work: (id: string) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    await Promise.all(ids.slice(start, start + AT_ONCE).map(work))
    onPicture(Math.min(start + AT_ONCE, ids.length), ids.length)
  }
}
