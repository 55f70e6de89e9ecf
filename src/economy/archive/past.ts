/** Reads a fan's archived past from the files. */
import type { Reader } from '../../../db/index.ts'
import { findSeam, type Seam } from '../points/seams.ts'
import { ArchiveFault, filesOf, listArchiveFiles, readArchiveFile } from './files.ts'
import { decryptLines, digestOfLines, type FanLines, readLines } from './lines.ts'

/** The lines of a fan in the file of a seam. @throws ArchiveFault */
export async function readLinesOf(reader: Reader, folder: string, seam: Seam): Promise<FanLines> {
  const { userId, key, digest } = seam
  const id = filesOf(seam).at(-1) ?? ''
  if (key === null) throw new ArchiveFault(`Fan ${userId} was erased: nobody can read their archived past.`)
  const file = (await listArchiveFiles(reader)).find(file => file.id === id)
  if (!file) throw new ArchiveFault(`The database does not know the file ${id}.`)
  const envelope = readArchiveFile(folder, file).find(envelope => envelope.userId === userId)
  const text = envelope && decryptLines(envelope.data, { file: id, userId, key })
  if (!text || digestOfLines(text) !== digest)
    throw new ArchiveFault(`File ${id} has no lines of fan ${userId}.`)
  return readLines(text)
}

/** All archived rows of a fan, oldest file first. Nothing for a fan without an archived past. @throws ArchiveFault */
export async function readPast(reader: Reader, folder: string, userId: string) {
  const parts: FanLines[] = []
  let seam = await findSeam(reader, userId)
  while (seam) {
    const lines: FanLines = await readLinesOf(reader, folder, seam)
    parts.unshift(lines)
    seam = lines.previous ? { ...lines.previous, key: seam.key, sealed: true } : undefined
  }
  return {
    entries: parts.flatMap(({ entries, kept }) => entries.filter(({ id }) => !kept.has(id))),
    events: parts.flatMap(({ events }) => events),
  }
}
