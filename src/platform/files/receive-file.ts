/** Files that staff upload for imports: announced, sent in parts, checked, imported. */
import { and, count, eq, gt, isNull } from 'drizzle-orm'
import type { Database, Tables, Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { fileProblems } from './problems.ts'
import { rowFormatOf } from './row-file.ts'
import { PART_BYTES, packPart } from './stored-file.ts'

const MEBIBYTE = 1024 * 1024
/** By form. About 400,000 fans are rows of 64 MB; a document is checked as a whole, in memory. */
const MAX_BYTES = { rows: 64 * MEBIBYTE, document: 2 * MEBIBYTE }
/** Maximum files of all staff together. */
const MAX_FILES = 20
const KEPT_MS = 86_400_000

/** Rows, such as fans, or one document, such as a catalogue. */
type FileForm = keyof typeof MAX_BYTES
type FileRow = Tables['importFiles']['$inferSelect']

interface NewFile {
  id: string
  /** The command that imports it. */
  command: string
  name: string
  bytes: number
}

/** Announces a file, whose parts follow. @throws DomainError `validation_failed`, `import_too_large`, `import_files_full` */
export async function announceFile(tx: Transaction, file: NewFile, form: FileForm) {
  const { importFiles: files } = tx.tables
  refuseFormat(file, form)
  const max = MAX_BYTES[form]
  if (file.bytes > max)
    throw new DomainError(fileProblems.import_too_large, {
      detail: `The file has ${inMebibytes(file.bytes)} MB; at most ${inMebibytes(max)} MB can be uploaded. Divide it, or ask the people who run the server to import it there.`,
    })
  const now = tx.now()
  const [stored] = await tx.select({ files: count() }).from(files).where(gt(files.expiresAt, now))
  if ((stored?.files ?? 0) >= MAX_FILES) throw new DomainError(fileProblems.import_files_full)
  await tx.insert(files).values({ ...file, createdAt: now, expiresAt: new Date(now.getTime() + KEPT_MS) })
  return { id: file.id, partBytes: PART_BYTES }
}

/** @throws DomainError `validation_failed` */
function refuseFormat({ name }: NewFile, form: FileForm): void {
  const [isRows, isJson] = [rowFormatOf(name) !== null, /\.json$/i.test(name)]
  const isOne = form === 'document' ? isJson || rowFormatOf(name) === 'ndjson' : isRows
  if (isOne) return
  const message = `must end in ${form === 'document' ? '.json, .ndjson or .jsonl' : '.csv, .ndjson or .jsonl'}`
  throw new DomainError(transportProblems.validation_failed, { errors: [{ pointer: '/name', message }] })
}

const inMebibytes = (bytes: number) => (Math.ceil((bytes / 1024 ** 2) * 10) / 10).toString()

/** Stores a part, again if it was sent before. @throws DomainError `import_file_gone`, `import_file_complete`, `import_too_large` */
export async function storePart(
  db: Database,
  fileId: string,
  part: number,
  bytes: Uint8Array,
): Promise<{ stored: true }> {
  const lines = bytes.reduce((sum, byte) => (byte === 10 ? sum + 1 : sum), 0)
  // Guarantee of the cast: a body is no shared memory.
  const content = packPart(bytes as Uint8Array<ArrayBuffer>)
  return db.write(async tx => {
    const file = await lockFile(tx, fileId)
    if (file.completedAt !== null) throw new DomainError(fileProblems.import_file_complete)
    const expected = Math.min(PART_BYTES, file.bytes - part * PART_BYTES)
    if (bytes.length !== expected)
      throw new DomainError(fileProblems.import_too_large, {
        detail: `Part ${part} of this file has ${Math.max(expected, 0)} bytes.`,
      })
    const { importFileParts: parts } = tx.tables
    await tx
      .insert(parts)
      .values({ fileId, part, lines, content })
      .onConflictDoUpdate({ target: [parts.fileId, parts.part], set: { lines, content } })
    return { stored: true }
  })
}

/** Completes the file, which does not change afterwards. @throws DomainError `import_file_gone`, `import_file_incomplete` */
export async function completeFile(tx: Transaction, fileId: string): Promise<FileRow> {
  const { importFiles: files, importFileParts: parts } = tx.tables
  const file = await lockFile(tx, fileId)
  const [stored] = await tx.select({ parts: count() }).from(parts).where(eq(parts.fileId, fileId))
  if (stored?.parts !== Math.ceil(file.bytes / PART_BYTES))
    throw new DomainError(fileProblems.import_file_incomplete)
  await tx
    .update(files)
    .set({ completedAt: tx.now() })
    .where(and(eq(files.id, fileId), isNull(files.completedAt)))
  return file
}

/** Keeps the file for another day, and locks its row until the unit of work ends. @throws DomainError `import_file_gone` */
export async function lockFile(tx: Transaction, fileId: string): Promise<FileRow> {
  const { importFiles: files } = tx.tables
  const now = tx.now()
  const [file] = await tx
    .update(files)
    .set({ expiresAt: new Date(now.getTime() + KEPT_MS) })
    .where(and(eq(files.id, fileId), gt(files.expiresAt, now)))
    .returning()
  if (!file) throw new DomainError(fileProblems.import_file_gone)
  return file
}
