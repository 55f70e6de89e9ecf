/**
 * The manifest of the pictures of a backup, `BACKUP.pictures`, in the format of sha256sum. It gets its final name before the backup does, so a
 * file with the name of a backup is complete.
 */
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { moveFile, syncFile } from '../../../db/sqlite/copy.ts'
import { nameOf } from '../../core/uploaded-url.ts'

const FOLDER = 'pictures'

export const folderOf = (file: string) => join(dirname(resolve(file)), FOLDER)
export const manifestOf = (file: string) => `${file}.${FOLDER}`
export const partialOf = (manifest: string) => `${manifest}.partial`

/**
 * Gives the manifest its final name. A backup without pictures has no manifest, and the manifest of a replaced backup is
 * deleted.
 */
export function publishManifest(file: string): void {
  const manifest = manifestOf(file)
  if (existsSync(partialOf(manifest))) moveFile(partialOf(manifest), manifest)
  else rmSync(manifest, { force: true })
}

/** Called after a failed backup. */
export const removePartialManifest = (file: string) => rmSync(partialOf(manifestOf(file)), { force: true })

const LINE = /^([0-9a-f]{64}) {2}pictures\/[0-9a-f]{2}\/\1\.webp$/gm

export function writeManifest(path: string, ids: string[]): void {
  const lines = ids.map(id => `${id}  ${FOLDER}/${id.slice(0, 2)}/${nameOf(id)}\n`)
  writeFileSync(path, lines.join(''), { mode: 0o600 })
  syncFile(path)
}

/** Whether the file is a manifest, or empty. Other programs may have files with such a name. */
export function isManifest(path: string): boolean {
  if (!statSync(path).isFile()) return false
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(256)
    const text = start.toString('utf8', 0, readSync(file, start))
    return text === '' || text.search(LINE) === 0
  } finally {
    closeSync(file)
  }
}

export const readManifest = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(LINE)].map(([, id = '']) => id)
