/**
 * Moves old rows of fans to files. The files of some fans are written first, then a unit of work deletes the rows of each fan, if they are
 * still those of the file. Interrupted runs leave files or parts of files that no seam names, which nobody can decrypt.
 */
import { deleteRows, insertRows } from '../../../../db/bulk.ts'
import type { Database, Transaction } from '../../../../db/index.ts'
import { eachPage } from '../../../../db/keyset.ts'
import { toList } from '../../../../db/listed.ts'
import { notePastChange } from '../../../audit/coverage/record-coverage.ts'
import {
  type ArchiveFile,
  filesOf,
  listArchiveFiles,
  updateManifest,
  writeArchiveFile,
} from '../../../economy/archive/files.ts'
import { encryptLines, KEY_BYTES } from '../../../economy/archive/lines.ts'
import type { Plan } from '../../../economy/archive/plan-fan.ts'
import { archiveKeyOf } from '../../../economy/events/archived.ts'
import { lockAccount } from '../../../economy/points/account.ts'
import { saveSeam, sealAgain } from '../../../economy/points/seams.ts'
import { lockForMerge } from '../../../identity/users/locks.ts'
import { planFans } from './plan.ts'

const DAY_MS = 86_400_000
/**
 * Younger rows stay: events are accepted for 30 days, so that a repeat of an archived one is refused as too old, and every week and month of an
 * archived entry is final.
 */
const MIN_AGE_MS = 62 * DAY_MS

/** Fans whose rows are in memory. */
const PAGE_FANS = 50
/** A file is written when its lines have this size. */
const FILE_BYTES = 32_000_000

/** Rows that are older are archived. */
export const archivedUntil = (seasonStartsAt: Date, now: Date) =>
  new Date(Math.min(seasonStartsAt.getTime(), now.getTime() - MIN_AGE_MS))

/** A fan whose lines are in a file. */
export interface Filed extends Plan {
  file: string
  key: string
}

/** The plans of all fans, page by page. */
export async function* eachPlan(db: Pick<Database, 'read' | 'tables'>, until: Date): AsyncGenerator<Plan[]> {
  const { users } = db.tables
  const pages = eachPage(
    { id: users.id },
    after => db.read.select({ id: users.id }).from(users).where(after),
    {
      size: PAGE_FANS,
    },
  )
  for await (const page of pages)
    yield await planFans(
      db.read,
      page.map(({ id }) => id),
      until,
    )
}

interface Run {
  folder: string
  seasonId: string
  until: Date
}

/** Writes files, and yields the fans in them. */
export async function* fileFans(db: Database, run: Run): AsyncGenerator<Filed> {
  let waiting: Plan[] = []
  let size = 0
  for await (const plans of eachPlan(db, run.until)) {
    waiting.push(...plans)
    size += plans.reduce((sum, { lines }) => sum + lines.length, 0)
    if (size < FILE_BYTES) continue
    yield* await writeFile(db, run, waiting)
    waiting = []
    size = 0
  }
  if (waiting.length > 0) yield* await writeFile(db, run, waiting)
}

async function writeFile(db: Database, { folder, seasonId, until }: Run, plans: Plan[]): Promise<Filed[]> {
  const { read } = db
  const known = new Set((await listArchiveFiles(read)).map(({ id }) => id))
  const keyed = plans.map(plan => {
    const key = plan.previous?.key ?? Buffer.from(read.randomBytes(KEY_BYTES)).toString('base64url')
    return { ...plan, key }
  })
  const written = writeArchiveFile({ sources: read, folder, seasonId, known }, file =>
    keyed.map(({ userId, lines, key }) => ({
      userId,
      data: encryptLines(lines, { file, userId, key }, read.randomBytes(12)),
    })),
  )
  const row: ArchiveFile = { seasonId, until, ...written, writtenAt: read.now() }
  await db.write(tx => insertRows(tx, tx.tables.archiveFiles, [row]))
  await updateManifest(read, folder)
  return keyed.map(plan => ({ ...plan, file: written.id }))
}

/** Deletes the rows of a fan that are in the file. False, with nothing changed, if they have changed since. */
export async function sealFan(tx: Transaction, { file, key, ...filed }: Filed): Promise<boolean> {
  const { userId } = filed
  // As an erasure, a merge and every verb of the fan, and then as every entry.
  await lockForMerge(tx, toList([userId]))
  await lockAccount(tx, userId)
  const [plan] = await planFans(tx, [userId], filed.until)
  if (!plan || plan.lines !== filed.lines) return false
  const { entries, events, seam, previous } = plan
  const files = JSON.stringify([...(previous ? filesOf(previous) : []), file])
  await saveSeam(tx, { ...seam, files, key, sealed: false })
  await deleteRows(tx, tx.tables.pointsEntries, entries)
  await deleteRows(tx, tx.tables.events, events)
  const keys = events.map(event => ({ key: archiveKeyOf(event), userId }))
  await insertRows(tx, tx.tables.archivedEvents, keys)
  await sealAgain(tx, userId)
  await notePastChange(tx)
  return true
}
