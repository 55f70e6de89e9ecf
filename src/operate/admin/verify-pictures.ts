/** Compares the rows of pictures with the files of the store, while the API serves. */
import { hash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import type { Database, Reader } from '../../../db/index.ts'
import { shapeOf } from '../../../db/schema/shape.ts'
import { inParallel, listPictures } from '../../club/pictures/backup.ts'
import type { PictureStore } from '../../club/pictures/store.ts'
import { nameOf, UPLOADED } from '../../core/uploaded-url.ts'
import { pictureColumnsOf, readAddresses } from './sweep-pictures.ts'

/** A younger upload may not have its rows or its final name yet. */
const UPLOAD_MS = 3_600_000

export interface PictureFinding {
  /**
   * - `missing`: a fan or a system has the picture, and the store has no such file
   * - `damaged`: the bytes of the file differ from those that were stored
   * - `unreferenced`: no row has the file
   * - `not_uploaded`: a fan or an entry of the catalogue shows a picture of the store that nobody has uploaded
   */
  what: 'missing' | 'damaged' | 'unreferenced' | 'not_uploaded'
  /** Name of the file in the store. */
  name: string
  /** For `not_uploaded`: the column with its address, such as `teams.crest_url`. */
  in?: string
}

interface Verification {
  onFinding(finding: PictureFinding): void
  /** Awaited between two steps. If it throws, the verification ends. */
  onProgress(done: number, total: number): void
}

/** Every picture is read. */
export async function verifyPictures(
  { read }: Pick<Database, 'read'>,
  store: PictureStore,
  { onFinding, onProgress }: Verification,
) {
  let findings = 0
  const report = (finding: PictureFinding) => {
    findings++
    onFinding(finding)
  }
  // Listed before the rows are read, so that a file of a new upload does not appear to have no row.
  const stored = await Array.fromAsync(store.list())
  const ids = await listPictures(read)
  await inParallel(ids, onProgress, async id => {
    const what = await judge(store, id)
    // A sweep may have deleted it meanwhile.
    if (what && (await hasOwner(read, id))) report({ what, name: nameOf(id) })
  })
  const { pictureFiles } = read.tables
  const rows = await read.select({ id: pictureFiles.id }).from(pictureFiles)
  const known = new Set(rows.map(({ id }) => nameOf(id)))
  const begun = read.now().getTime() - UPLOAD_MS
  for (const { name, modifiedAt } of stored)
    if (!known.has(name) && modifiedAt.getTime() < begun) report({ what: 'unreferenced', name })
  const owned = new Set(ids)
  for (const { id, ...shown } of await listShown(read))
    if (!owned.has(id) && !(await hasOwner(read, id)))
      report({ what: 'not_uploaded', name: nameOf(id), ...shown })
  return { pictures: ids.length, files: stored.length, findings }
}

async function judge(store: PictureStore, id: string): Promise<'missing' | 'damaged' | null> {
  const bytes = await store.get(nameOf(id))
  if (!bytes) return 'missing'
  return hash('sha256', bytes, 'hex') === id ? null : 'damaged'
}

async function hasOwner(read: Reader, id: string): Promise<boolean> {
  const { pictures } = read.tables
  const rows = await read.select({ id: pictures.id }).from(pictures).where(eq(pictures.fileId, id)).limit(1)
  return rows.length > 0
}

/** Paths of pictures in any URL column. Absolute URLs may belong to another server. */
async function listShown(read: Reader): Promise<{ id: string; in: string }[]> {
  const shown: { id: string; in: string }[] = []
  for (const table of Object.values(read.tables)) {
    const { name } = shapeOf(table)
    for (const column of pictureColumnsOf(table))
      for (const url of await readAddresses(read, table, column)) {
        const id = UPLOADED.exec(url)?.[1]
        if (id !== undefined) shown.push({ id, in: `${name}.${toSnakeCase(column.name)}` })
      }
  }
  return shown
}
