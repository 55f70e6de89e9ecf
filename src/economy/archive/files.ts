/** Files of the archive: written whole under a new name, and read with the hash that the database has. */
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { asc } from 'drizzle-orm'
import type { Reader, Sources, Tables } from '../../../db/index.ts'
import { attempt } from '../../core/attempt.ts'
import type { Seam } from '../points/seams.ts'

export type ArchiveFile = Tables['archiveFiles']['$inferSelect']

export class ArchiveFault extends Error {
  constructor(
    message: string,
    /** Of a file that cannot be read. */
    readonly state?: 'missing' | 'changed',
  ) {
    super(message)
  }
}

const pathOf = (folder: string, id: string) => join(folder, `${id}.ndjson.gz`)

/** A line of a file: the encrypted lines of a fan. */
export interface Envelope {
  userId: string
  data: string
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A name that no file has yet. */
function freeName(folder: string, seasonId: string, known: ReadonlySet<string>): string {
  for (let number = known.size + 1; ; number++) {
    const id = `${seasonId}-${String(number).padStart(4, '0')}`
    if (!known.has(id) && !existsSync(pathOf(folder, id))) return id
  }
}

interface Naming {
  sources: Pick<Sources, 'randomBytes'>
  folder: string
  seasonId: string
  /** Names of earlier files. */
  known: ReadonlySet<string>
}

/** Returns when the file is on disk, under a name that no other run has. `envelopesOf` encrypts the lines for a name. */
export function writeArchiveFile(
  { sources, folder, seasonId, known }: Naming,
  envelopesOf: (id: string) => Envelope[],
) {
  for (;;) {
    const id = freeName(folder, seasonId, known)
    const envelopes = envelopesOf(id)
    const text = envelopes.map(envelope => `${JSON.stringify(envelope)}\n`).join('')
    const bytes = gzipSync(text, { level: 1 })
    const written = { id, sha256: sha256(bytes), bytes: bytes.byteLength, fans: envelopes.length }
    const path = pathOf(folder, id)
    if (!isPlaced(path, partialOf(path, sources), bytes)) continue
    syncFolder(folder)
    if (sha256(readFileSync(path)) !== written.sha256)
      throw new ArchiveFault(`${path} is not what was written.`)
    return written
  }
}

/** False, with nothing written, if another run has taken the name meanwhile. */
function isPlaced(path: string, partial: string, bytes: Uint8Array): boolean {
  writeDurably(partial, bytes)
  try {
    linkSync(partial, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(partial)
  }
}

/** A name of its own: several runs can write to one folder. */
const partialOf = (path: string, sources: Pick<Sources, 'randomBytes'>) =>
  `${path}.${process.pid}-${Buffer.from(sources.randomBytes(8)).toString('hex')}.partial`

/** @throws if there is a file of this name */
function writeDurably(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    for (let at = 0; at < bytes.byteLength; ) at += writeSync(file, bytes, at)
    fsyncSync(file)
  } catch (error) {
    rmSync(path)
    throw error
  } finally {
    closeSync(file)
  }
}

/** So that the name is on disk too. */
function syncFolder(folder: string): void {
  const opened = openSync(folder, 'r')
  fsyncSync(opened)
  closeSync(opened)
}

/**
 * Lists all files with their hashes, for readers without the database: again, if another run has changed the list meanwhile. Files
 * that the database does not know stay listed: they are of another database, or newer than a restored backup.
 */
export async function updateManifest(reader: Reader, folder: string): Promise<void> {
  for (;;) {
    const own = (await listArchiveFiles(reader)).map(({ id, ...file }) => ({
      file: `${id}.ndjson.gz`,
      ...file,
    }))
    const listed = readManifest(folder)
    const lines = new Set(listed.map(file => JSON.stringify(file)))
    if (own.every(file => lines.has(JSON.stringify(file)))) return
    const others = listed.filter(({ file }) => own.every(known => known.file !== file))
    writeManifest(folder, partialOf(manifestOf(folder), reader), [...others, ...own])
  }
}

const manifestOf = (folder: string) => join(folder, 'manifest.json')

/** Empty where there is none, or another document. */
function readManifest(folder: string): { file: string }[] {
  const path = manifestOf(folder)
  const { files } = attempt(() => JSON.parse(readFileSync(path, 'utf8'))) ?? {}
  return Array.isArray(files) ? files.filter(({ file }) => typeof file === 'string') : []
}

function writeManifest(folder: string, partial: string, files: { file: string }[]): void {
  writeDurably(partial, Buffer.from(`${JSON.stringify({ format: 1, files }, null, 2)}\n`))
  renameSync(partial, manifestOf(folder))
}

/** Oldest first. */
export function listArchiveFiles(reader: Reader): Promise<ArchiveFile[]> {
  const { archiveFiles } = reader.tables
  return reader.select().from(archiveFiles).orderBy(asc(archiveFiles.writtenAt), asc(archiveFiles.id))
}

/** The names of files that are not in the folder, and may be in another one. */
export const namesOfAbsent = (folder: string, files: ArchiveFile[]): string[] =>
  files.flatMap(({ id }) => (existsSync(pathOf(folder, id)) ? [] : basename(pathOf(folder, id))))

/** The lines of a file. @throws ArchiveFault if it is missing or was changed */
export function readArchiveFile(folder: string, { id, sha256: expected }: ArchiveFile): Envelope[] {
  const path = pathOf(folder, id)
  if (!existsSync(path)) throw new ArchiveFault(`${path} is missing.`, 'missing')
  const bytes = readFileSync(path)
  if (sha256(bytes) !== expected)
    throw new ArchiveFault(`${path} was changed: its SHA-256 is not ${expected}.`, 'changed')
  const lines = gunzipSync(bytes).toString('utf8').split('\n')
  // Guarantee of the cast: the file is the one that was written.
  return lines.flatMap(line => (line === '' ? [] : [JSON.parse(line) as Envelope]))
}

/** The ids of the files with lines of a fan, oldest first. Guarantee of the cast: only the archive writes the column. */
export const filesOf = ({ files }: Pick<Seam, 'files'>) => JSON.parse(files) as string[]
