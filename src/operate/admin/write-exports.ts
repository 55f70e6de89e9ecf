/**
 * Writes the files that fans asked for, in every process: an attempt has a lease, and after it another process starts again. A part is
 * stored in the unit of work that extends the lease, under the lock of the fan: an erasure or a merge deletes all parts, and ends
 * the attempt.
 */
import { and, asc, eq, lte } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Database, Tables, Transaction } from '../../../db/index.ts'
import type { Encryption } from '../../core/encryption.ts'
import type { GiveWay } from '../../core/give-way.ts'
import type { AppSources } from '../../core/sources.ts'
import { streamJson } from '../../core/stream-json.ts'
import { ownerOfPart } from '../../fan/account/exports.ts'
import { lockFan } from '../../identity/users/locks.ts'
import { packPart } from '../../platform/files/stored-file.ts'
import { exportUser } from './export-user.ts'

/** Well above the time until the first part. After a failure or a crash, the next attempt begins this much later. */
const LEASE_MS = 300_000
/** Characters of JSON in a part. */
const PART_LENGTH = 512 * 1024

interface WriteDeps {
  db: Pick<Database, 'read' | 'write'>
  log: Logger
  elapsed: AppSources['elapsed']
  addressEncryption: Encryption
  exportEncryption: Encryption
  /** Between two parts. */
  giveWay: GiveWay
}

type ExportRow = Tables['dataExports']['$inferSelect']
type Attempt = Pick<ExportRow, 'id' | 'userId'> & { leaseEndsAt: Date }

/** This process stops, the fan was erased or merged, or another process has the lease. */
class Ended extends Error {}

/** Returns when no file is due. */
export async function writeExports(deps: WriteDeps, stopping: () => boolean): Promise<void> {
  for (;;) {
    const due = await findDue(deps.db)
    if (!due || stopping()) return
    const attempt = await deps.db.write(tx => claim(tx, due))
    if (!attempt) continue
    try {
      await writeExport(deps, attempt, stopping)
    } catch (error) {
      if (!(error instanceof Ended))
        deps.log.error({ export: attempt.id, error }, 'an export failed, and is repeated')
    }
  }
}

async function findDue({ read: reader }: WriteDeps['db']): Promise<Attempt | undefined> {
  const { dataExports } = reader.tables
  const { id, userId, leaseEndsAt } = dataExports
  const [due] = await reader
    .select({ id, userId, leaseEndsAt })
    .from(dataExports)
    .where(lte(leaseEndsAt, reader.now()))
    .orderBy(asc(leaseEndsAt))
    .limit(1)
  return due?.leaseEndsAt ? { ...due, leaseEndsAt: due.leaseEndsAt } : undefined
}

/** Null: another process has claimed it, or it was deleted. Deletes what an earlier attempt has stored. */
async function claim(tx: Transaction, due: Attempt): Promise<Attempt | null> {
  const { dataExportParts: parts } = tx.tables
  const leaseEndsAt = await change(tx, due, { parts: 0 })
  if (!leaseEndsAt) return null
  await tx.delete(parts).where(eq(parts.exportId, due.id))
  return { ...due, leaseEndsAt }
}

/** The new end of the lease; null if the attempt has ended. */
async function change(tx: Transaction, { id, leaseEndsAt }: Attempt, set: Pick<ExportRow, 'parts'>) {
  const { dataExports } = tx.tables
  // Later than the previous one: it identifies the attempt, also of two at one instant.
  const next = new Date(Math.max(tx.now().getTime() + LEASE_MS, leaseEndsAt.getTime() + 1))
  const [changed] = await tx
    .update(dataExports)
    .set({ ...set, leaseEndsAt: next })
    .where(and(eq(dataExports.id, id), eq(dataExports.leaseEndsAt, leaseEndsAt)))
    .returning({ id: dataExports.id })
  return changed ? next : null
}

async function writeExport(deps: WriteDeps, attempt: Attempt, stopping: () => boolean): Promise<void> {
  const { db, addressEncryption, elapsed, giveWay } = deps
  const found = await exportUser(db.read, { id: attempt.userId }, addressEncryption)
  if (!found) throw new Ended()
  let current = attempt
  let part = 0
  let text = ''
  let startedAt = elapsed()
  for await (const piece of streamJson(found)) {
    text += piece
    if (text.length < PART_LENGTH) continue
    current = await storePart(deps, current, part++, text)
    text = ''
    if (stopping()) throw new Ended()
    await giveWay(elapsed() - startedAt)
    startedAt = elapsed()
  }
  current = await storePart(deps, current, part++, `${text}\n`)
  await db.write(tx => complete(tx, current))
}

/** The attempt, with the new end of its lease. @throws Ended */
async function storePart({ db, exportEncryption }: WriteDeps, attempt: Attempt, part: number, text: string) {
  const packed = packPart(new TextEncoder().encode(text))
  return db.write(async tx => {
    const fan = await lockFan(tx, attempt.userId)
    const leaseEndsAt = fan && (await change(tx, attempt, { parts: part + 1 }))
    if (!leaseEndsAt) throw new Ended()
    const content = exportEncryption.encrypt(packed, ownerOfPart(attempt.id, part), tx.randomBytes(12))
    await tx.insert(tx.tables.dataExportParts).values({ exportId: attempt.id, part, content })
    return { ...attempt, leaseEndsAt }
  })
}

async function complete(tx: Transaction, { id, leaseEndsAt }: Attempt): Promise<void> {
  const { dataExports } = tx.tables
  await tx
    .update(dataExports)
    .set({ leaseEndsAt: null, completedAt: tx.now() })
    .where(and(eq(dataExports.id, id), eq(dataExports.leaseEndsAt, leaseEndsAt)))
}
