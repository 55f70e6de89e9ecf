/** The backups in a folder, and whether the disk has room for another one. */
import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { attempt } from '../../core/attempt.ts'

const LISTED = 20

interface Place {
  /** Path of the database. */
  path: string
  folder: string
}

/** Newest first. */
export function listBackups({ path, folder }: Place) {
  // The folder does not exist yet, or is not readable.
  const files = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? []
  return {
    folder: resolve(folder),
    databaseBytes: sizeOf(path) + sizeOf(`${path}-wal`),
    freeBytes: freeBytesOf(folder),
    files: files
      .filter(file => file.isFile() && file.name.endsWith('.db'))
      .flatMap(({ name }) => {
        const stats = statSync(join(folder, name), { throwIfNoEntry: false })
        return stats ? [{ name, bytes: stats.size, at: stats.mtime }] : []
      })
      .sort((a, b) => b.at.getTime() - a.at.getTime())
      .slice(0, LISTED),
  }
}

/** `matchday-2026-11-26T04-22-50Z.db` */
export const backupNameOf = ({ path }: Place, now: Date): string =>
  `${basename(path, extname(path))}-${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Free bytes of the disk on which the folder is, or will be. */
function freeBytesOf(folder: string): number {
  let existing = resolve(folder)
  while (!existsSync(existing)) existing = dirname(existing)
  const { bavail, bsize } = statfsSync(existing)
  return bavail * bsize
}
