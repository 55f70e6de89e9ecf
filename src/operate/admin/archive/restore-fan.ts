/** Brings a fan's archived past back into the database, row by row as it was. */
import { eq } from 'drizzle-orm'
import { insertRows } from '../../../../db/bulk.ts'
import type { Database, Transaction } from '../../../../db/index.ts'
import { isListed, toList } from '../../../../db/listed.ts'
import { notePastChange } from '../../../audit/coverage/record-coverage.ts'
import { ArchiveFault } from '../../../economy/archive/files.ts'
import type { FanLines } from '../../../economy/archive/lines.ts'
import { readLinesOf } from '../../../economy/archive/past.ts'
import { archiveKeyOf } from '../../../economy/events/archived.ts'
import { lockAccount } from '../../../economy/points/account.ts'
import { findSeam, saveSeam } from '../../../economy/points/seams.ts'
import { lockForMerge } from '../../../identity/users/locks.ts'
import type { ArchiveRun } from './archive-run.ts'

export interface Restored {
  entries: number
  events: number
}

/**
 * Restores everything that is archived of a fan, the newest file first. `hold`: as in `archiveAlone`.
 * @throws ArchiveFault
 */
export async function restoreFan(
  db: Database,
  folder: string,
  userId: string,
  { hold }: ArchiveRun,
): Promise<Restored> {
  const restored = { entries: 0, events: 0 }
  for (let seam = await findSeam(db.read, userId); seam; seam = await findSeam(db.read, userId)) {
    const lines = await readLinesOf(db.read, folder, seam)
    const { digest } = seam
    const rows = await db.write(async tx => {
      await hold(tx)
      return putBack(tx, userId, { ...lines, digest })
    })
    restored.entries += rows.entries
    restored.events += rows.events
  }
  return restored
}

async function putBack(
  tx: Transaction,
  userId: string,
  { previous, entries, kept, events, digest }: FanLines & { digest: string },
): Promise<Restored> {
  const { archiveSeams, archivedEvents, pointsEntries } = tx.tables
  await lockForMerge(tx, toList([userId]))
  await lockAccount(tx, userId)
  const seam = await findSeam(tx, userId)
  // Another run has restored it meanwhile.
  if (seam?.digest !== digest) return { entries: 0, events: 0 }
  if (seam.key === null) throw new ArchiveFault(`Fan ${userId} was erased meanwhile.`)
  const gone = entries.filter(({ id }) => !kept.has(id))
  await insertRows(tx, pointsEntries, gone)
  await insertRows(tx, tx.tables.events, events)
  await tx.delete(archivedEvents).where(isListed(tx, archivedEvents.key, toList(events.map(archiveKeyOf))))
  if (previous) await saveSeam(tx, { ...previous, key: seam.key, sealed: true })
  else await tx.delete(archiveSeams).where(eq(archiveSeams.userId, userId))
  await notePastChange(tx)
  return { entries: gone.length, events: events.length }
}
