/**
 * Files with all data of a fan, which the fan asks for once a day. `operate/admin/write-exports.ts` writes them. A file is kept for
 * a week, in encrypted parts in the database, so that any process can write and send it.
 */
import { and, asc, desc, eq, gt, inArray, lt } from 'drizzle-orm'
import type { Database, Reader, Tables, Transaction } from '../../../db/index.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { createRotatingEncryption, type Encryption, type RotatedKeys } from '../../core/encryption.ts'
import { DomainError } from '../../core/problems.ts'
import { Closed, Id, Instant, Nullable, OneOf } from '../../core/schemas.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { Type } from '../../core/typebox.ts'
import { windowAt } from '../../core/windows.ts'
import { unpackPart } from '../../platform/files/stored-file.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'
import type { ExportLinks } from './export-links.ts'
import { exportProblems } from './problems.ts'

type ExportRow = Tables['dataExports']['$inferSelect']

const KEPT_MS = 7 * 86_400_000
/** Expired files that one run deletes. */
const SWEPT = 50

export const DataExport = Closed(
  {
    id: Id('The export.'),
    state: OneOf(['pending', 'ready'], { description: '`pending`: the file is being written.' }),
    url: Nullable(Type.String(), {
      description:
        'Path of the JSON file. Needs no token, and works for 10 minutes: each response has a new one. Null while it is pending.',
    }),
    expiresAt: Instant('When the file is deleted.'),
  },
  { title: 'DataExport' },
)
export type DataExport = typeof DataExport.static

export const exampleExport = {
  id: '01981e2c-7c1f-7000-8000-000000000061',
  state: 'ready',
  url: '/exports/01981e2c-7c1f-7000-8000-000000000061.1755282720000.q83vEjRWeJq8N7rQ',
  expiresAt: '2026-08-22T18:30:00.000Z',
} satisfies DataExport

/** Uses a key that is derived from the signing key of native tokens. */
export const createExportEncryption = (keys: RotatedKeys) => createRotatingEncryption(keys, 'exports of fans')

/** Binds a ciphertext to its place. */
export const ownerOfPart = (exportId: string, part: number): string => `${exportId} ${part}`

/**
 * Asks for a file, once on each day of the club; later on the same day it returns the one that exists. `madeAt`: when the request
 * was first made, so that its repeat after midnight finds the same file.
 */
export async function requestExport(
  tx: Transaction,
  { userId }: Caller,
  links: ExportLinks,
  madeAt = tx.now(),
): Promise<{ created: boolean; dataExport: DataExport }> {
  const { dataExports } = tx.tables
  const now = tx.now()
  const { key: day } = windowAt('day', madeAt, await timeZoneOf(tx))
  const [created] = await tx
    .insert(dataExports)
    .values({
      id: tx.newId(),
      userId,
      day,
      createdAt: now,
      expiresAt: new Date(now.getTime() + KEPT_MS),
      leaseEndsAt: now,
      parts: 0,
    })
    .onConflictDoNothing()
    .returning()
  const row = created ?? (await findOfDay(tx, userId, day))
  if (!row) throw new Error('the export of the day disappeared, though its fan is locked')
  return { created: created !== undefined, dataExport: presentExport(row, links, now) }
}

async function findOfDay(reader: Reader, userId: string, day: string): Promise<ExportRow | undefined> {
  const { dataExports } = reader.tables
  const [row] = await reader
    .select()
    .from(dataExports)
    .where(and(eq(dataExports.userId, userId), eq(dataExports.day, day)))
  return row
}

/** The newest. @throws DomainError `export_not_found` */
export async function readExport(reader: Reader, { userId }: Viewer, links: ExportLinks) {
  const { dataExports } = reader.tables
  const now = reader.now()
  const [row] = await reader
    .select()
    .from(dataExports)
    .where(and(eq(dataExports.userId, userId), gt(dataExports.expiresAt, now)))
    .orderBy(desc(dataExports.createdAt), desc(dataExports.id))
    .limit(1)
  if (!row) throw new DomainError(exportProblems.export_not_found)
  return presentExport(row, links, now)
}

const presentExport = (
  { id, completedAt, expiresAt }: ExportRow,
  links: ExportLinks,
  now: Date,
): DataExport => ({
  id,
  state: completedAt === null ? 'pending' : 'ready',
  url: completedAt === null ? null : links.issue(id, now).url,
  expiresAt: expiresAt.toISOString(),
})

/**
 * The file of a link, as it is read. It breaks off if an erasure deletes the file meanwhile. @throws DomainError `not_found` for a link
 * that is forged or has expired, and for a file that was deleted or that no configured key reads
 */
export async function openExport(
  { read: reader }: Pick<Database, 'read'>,
  encryption: Encryption,
  links: ExportLinks,
  token: string,
) {
  const { dataExports } = reader.tables
  const now = reader.now()
  const id = links.read(token, now) ?? ''
  const [row] = await reader
    .select()
    .from(dataExports)
    .where(and(eq(dataExports.id, id), gt(dataExports.expiresAt, now)))
  const first = row?.completedAt ? await readPart(reader, encryption, id, 0) : null
  if (!row || first === null) throw new DomainError(transportProblems.not_found)
  async function* content(parts: number, part0: Buffer): AsyncGenerator<Buffer> {
    yield part0
    for (let part = 1; part < parts; part++) {
      const bytes = await readPart(reader, encryption, id, part)
      if (bytes === null) throw new Error('the file of an export was deleted while it was sent')
      yield bytes
    }
  }
  return {
    name: `my-data-${row.createdAt.toISOString().slice(0, 10)}.json`,
    content: content(row.parts, first),
  }
}

async function readPart(reader: Reader, encryption: Encryption, exportId: string, part: number) {
  const { dataExportParts: parts } = reader.tables
  const [row] = await reader
    .select({ content: parts.content })
    .from(parts)
    .where(and(eq(parts.exportId, exportId), eq(parts.part, part)))
  const packed = row ? encryption.decrypt(row.content, ownerOfPart(exportId, part)) : null
  return packed === null ? null : unpackPart(packed)
}

/** The files that a fan asked for, without their content. */
export async function exportExports(reader: Reader, userId: string) {
  const { dataExports } = reader.tables
  const { id, createdAt, completedAt, expiresAt } = dataExports
  return reader
    .select({ id, createdAt, completedAt, expiresAt })
    .from(dataExports)
    .where(eq(dataExports.userId, userId))
    .orderBy(asc(createdAt), asc(id))
}

/** Also ends an attempt that is writing one: it stores nothing more. */
export async function deleteExportsOf(tx: Transaction, userId: string): Promise<void> {
  const { dataExports } = tx.tables
  const own = tx.select({ id: dataExports.id }).from(dataExports).where(eq(dataExports.userId, userId))
  await deleteExports(tx, await locksForUpdate(tx, own))
}

export const sweepExports = (db: Database): Promise<void> =>
  db.write(async tx => {
    const { dataExports } = tx.tables
    const { id, expiresAt } = dataExports
    const expired = tx.select({ id }).from(dataExports).where(lt(expiresAt, tx.now())).limit(SWEPT)
    await deleteExports(tx, await locksForUpdate(tx, expired))
  })

/** The rows are locked: no attempt adds parts to them. */
async function deleteExports(tx: Transaction, rows: { id: string }[]): Promise<void> {
  if (rows.length === 0) return
  const { dataExports, dataExportParts: parts } = tx.tables
  const ids = rows.map(({ id }) => id)
  await tx.delete(parts).where(inArray(parts.exportId, ids))
  await tx.delete(dataExports).where(inArray(dataExports.id, ids))
}
