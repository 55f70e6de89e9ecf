/** Copies the SQLite database while it is in use. The copy gets its name once it is verified. */
import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { BackupFault } from '../../../../db/index.ts'
import { copySqlite, fileSize, moveFile, openSqliteCopy, removeSqlite } from '../../../../db/sqlite/copy.ts'
import {
  type BackedUpPictures,
  backUpPictures,
  LEAVE_OUT,
  listPicturesIn,
  type OnPicture,
  refuseFolderOfStore,
  removeUnused,
  requireStore,
} from '../../../club/pictures/backup.ts'
import { publishManifest, removePartialManifest } from '../../../club/pictures/backup-manifest.ts'
import { realSources } from '../../../core/sources.ts'
import type { UploadsConfig } from '../../../platform/config/uploads.ts'
import { exportErasures } from '../reapply-erasures.ts'
import { type OnVerified, verifyCopy } from './verify-copy.ts'

interface BackupOptions {
  /** Replace an existing file. */
  force?: boolean | undefined
  /** The list of erasures, which the backup completes. */
  erasures: string
  /** The store of the pictures; null if none is configured. Undefined leaves pictures out. */
  uploads: UploadsConfig | null | undefined
  onVerified: OnVerified
  onPicture: OnPicture
}

export interface Backup {
  file: string
  bytes: number
  rows: number
  migrations: number
  /** Null: the copy has another schema version, so only the file was checked. */
  ledgerDigest: string | null
  /** Null: pictures were left out. */
  pictures: BackedUpPictures | null
  /** Why pictures that no backup needs could not be deleted; null if there are none. */
  notTidied: string | null
}

/** The name of a copy until it is complete, so that a killed run leaves no file that looks like a backup. */
export const partialOf = (file: string) => `${file}.partial`

/**
 * Blocks its thread while it copies. A failed run leaves nothing, and removes the remains of a killed run with the same
 * name. @throws BackupFault for a damaged or inconsistent copy; DatabaseError
 */
export async function backUp(path: string, file: string, options: BackupOptions): Promise<Backup> {
  const partial = partialOf(file)
  const folder = dirname(resolve(file))
  const firstCreated = mkdirSync(folder, { recursive: true })
  let written = false
  try {
    removeSqlite(partial)
    removePartialManifest(file)
    copySqlite(path, partial)
    const { rows, migrations, current, ledgerDigest } = await verifyCopy(partial, options.onVerified)
    if (existsSync(file) && !options.force)
      throw new BackupFault(`${file} was created meanwhile: choose another name, or use --force.`)
    if (current) await listErasures(partial, options.erasures)
    const pictures = await copyPictures(partial, file, options)
    publishManifest(file)
    moveFile(partial, file)
    written = true
    // The backup is valid even if files of older ones cannot be deleted.
    const notTidied = await removeUnused(file, realSources.now()).then(
      () => null,
      (error: Error) => error.message,
    )
    return { file, bytes: fileSize(file), rows, migrations, ledgerDigest, pictures, notTidied }
  } finally {
    removeSqlite(partial)
    removePartialManifest(file)
    if (!written && firstCreated !== undefined) removeFolders(folder, firstCreated)
  }
}

async function copyPictures(copy: string, file: string, { uploads, onPicture }: BackupOptions) {
  if (uploads === undefined) return null
  refuseFolderOfStore(file, uploads)
  const ids = await listPicturesIn(copy)
  const store = requireStore(ids, uploads, LEAVE_OUT)
  return store ? backUpPictures(ids, store, file, onPicture) : { files: 0, copied: 0, missing: 0 }
}

/** Adds missing erasures to the list, for example erasures that were not made by `erase-user`. */
async function listErasures(copy: string, list: string): Promise<void> {
  const { read, close } = openSqliteCopy(copy, realSources)
  try {
    await exportErasures(read, list)
  } finally {
    close()
  }
}

/** Removes the directories that this run created, from `folder` up to `firstCreated`, unless pictures are in them. */
function removeFolders(folder: string, firstCreated: string): void {
  for (let each = folder; each.startsWith(firstCreated); each = dirname(each)) {
    if (readdirSync(each).length > 0) return
    rmdirSync(each)
  }
}
