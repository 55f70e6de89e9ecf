/** Files for imports that are kept in the database, so that any process can read them. They arrive in parts: see `receive-file.ts`. */
import { and, eq, lt, sum } from 'drizzle-orm'
import type { Database, Reader } from '../../../db/index.ts'
import { type RowFile, rowFormatOf } from './row-file.ts'

/** Size of each part except the last one. */
export const PART_BYTES = 512 * 1024
/** Parts that one unit of work deletes. */
const TOGETHER = 8

export const packPart = (bytes: Uint8Array<ArrayBuffer>): string =>
  Buffer.from(Bun.gzipSync(bytes, { level: 1 })).toString('base64')

export const unpackPart = (content: string): Buffer =>
  Buffer.from(Bun.gunzipSync(Buffer.from(content, 'base64')).buffer)

/** The file was deleted, or is not complete. */
export class FileGone extends Error {}

/** @throws FileGone while it is read */
export const openStored = (db: Database, { id, name }: { id: string; name: string }): RowFile => ({
  format: rowFormatOf(name) ?? 'ndjson',
  open: () => readParts(db.read, id),
})

/** For a file that is small. @throws FileGone */
export async function readStored(db: Database, id: string): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(readParts(db.read, id)))
}

async function* readParts(reader: Reader, fileId: string): AsyncGenerator<Buffer> {
  const { importFiles: files, importFileParts: parts } = reader.tables
  const [file] = await reader.select({ bytes: files.bytes }).from(files).where(eq(files.id, fileId))
  if (!file) throw new FileGone()
  for (let part = 0; part * PART_BYTES < file.bytes; part++) {
    const [row] = await reader
      .select({ content: parts.content })
      .from(parts)
      .where(and(eq(parts.fileId, fileId), eq(parts.part, part)))
    if (!row) throw new FileGone()
    yield unpackPart(row.content)
  }
}

/** About how many lines a file has. */
export async function countLines(reader: Reader, fileId: string): Promise<number> {
  const { importFileParts: parts } = reader.tables
  const [row] = await reader
    .select({ lines: sum(parts.lines) })
    .from(parts)
    .where(eq(parts.fileId, fileId))
  return Number(row?.lines ?? 0)
}

/** A few parts at a time: each is large. */
export async function deleteStored(db: Database, fileId: string): Promise<void> {
  const { importFiles: files, importFileParts: parts } = db.tables
  for (let before = TOGETHER; ; before += TOGETHER) {
    const isLast = await db.write(async tx => {
      await tx.delete(parts).where(and(eq(parts.fileId, fileId), lt(parts.part, before)))
      const [rest] = await tx
        .select({ part: parts.part })
        .from(parts)
        .where(eq(parts.fileId, fileId))
        .limit(1)
      if (!rest) await tx.delete(files).where(eq(files.id, fileId))
      return !rest
    })
    if (isLast) return
  }
}

/** Deletes files that nobody imported. */
export async function sweepStored(db: Database): Promise<void> {
  const { importFiles: files } = db.tables
  const expired = await db.read.select({ id: files.id }).from(files).where(lt(files.expiresAt, db.read.now()))
  for (const { id } of expired) await deleteStored(db, id)
}
