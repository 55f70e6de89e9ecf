/** Moves everything from one database to another, and believes it only when both hold the same. */

import { type Database, isMissingParent } from '../../db/index.ts'
import { countUnknownMigrations } from '../../db/known-migrations.ts'
import { readMoveMarker, removeMoveMarker, writeMoveMarker } from '../../db/move-marker.ts'
import { type LedgerReport, verifyLedger } from '../../src/points/verify-ledger.ts'
import { fail } from '../command/explain.ts'
import { Interrupted } from '../command/stop.ts'
import { type CopyOptions, copyTables, countAll } from './copy.ts'
import { digestTables, type TableDigest } from './digest.ts'

export interface MoveOptions extends Pick<CopyOptions, 'stopRequested'> {
  /** Names the source in the target until the move is done: only it may be gone on from. */
  sourceName: string
  onCopied(rows: number): void
  onCompared(rows: number): void
  /** Fans of the target whose ledger was recomputed. */
  onVerified(done: number, total: number): void
}

export interface MoveReport {
  tables: TableDigest[]
  /** Of both. What it finds was so in the source, and does not stop the move. */
  ledger: LedgerReport
  /** Rows that this run copied; the others were there from a run before. */
  copied: number
}

/** What stands in the way of moving into the target; null when nothing does. */
export async function findObstacle(target: Database, sourceName: string): Promise<string | null> {
  const marker = await readMoveMarker(target)
  if (marker === sourceName) return null
  if (marker !== undefined) return `The target is being filled from another source, ${marker}.`
  const full = (await countAll(target)).find(({ rows }) => rows > 0)
  return full
    ? `The target holds other data (${full.table}: ${full.rows} rows): move into an empty database.`
    : null
}

/** A source of a newer version has tables that this one would leave behind. */
export async function requireKnownSchema(source: Database): Promise<void> {
  const unknown = await countUnknownMigrations(source)
  if (unknown > 0) fail(`The source is ${unknown} migrations ahead of this version: move with the newer one.`)
}

/** Both are migrated. @throws CommandFailure, Interrupted */
export async function moveDatabase(
  source: Database,
  target: Database,
  { sourceName, onCopied, onCompared, onVerified, stopRequested }: MoveOptions,
): Promise<MoveReport> {
  const obstacle = await findObstacle(target, sourceName)
  if (obstacle) fail(obstacle)
  if ((await readMoveMarker(target)) === undefined) await target.write(tx => writeMoveMarker(tx, sourceName))

  const before = sum(await countAll(target))
  try {
    await copyTables(source, target, { onRows: onCopied, stopRequested })
  } catch (error) {
    throw isMissingParent(error) ? changed('rows refer to others that came later') : error
  }
  let compared = 0
  const onRows = (rows: number) => {
    compared += rows
    onCompared(rows)
    const signal = stopRequested?.()
    if (signal) throw new Interrupted(signal, compared)
  }
  const [from, to] = [await digestTables(source, onRows), await digestTables(target, onRows)]
  for (const [at, { table, rows, digest }] of from.entries()) {
    const arrived = to[at]
    if (rows !== arrived?.rows) throw changed(`${table} has ${rows} rows there and ${arrived?.rows} here`)
    if (digest !== arrived.digest) throw changed(`the rows of ${table} are not the same`)
  }
  const [damage] = await target.findDamage()
  if (damage) fail(`The target is damaged: ${damage}.`)
  // Row for row the same, so that what is said of one ledger holds for both.
  const ledger = await verifyLedger(
    { read: target.read, findDamage: async () => [] },
    {
      onProgress(done, total) {
        onVerified(done, total)
        const signal = stopRequested?.()
        if (signal) throw new Interrupted(signal, done)
      },
    },
  )
  await target.write(removeMoveMarker)
  return { tables: to, ledger, copied: sum(to) - before }
}

const sum = (counts: { rows: number }[]) => counts.reduce((total, { rows }) => total + rows, 0)

const changed = (how: string) =>
  new SourceChanged(
    `The source changed while it was moved: ${how}. Stop the API, empty the target, and move again.`,
  )

/** The target is no copy of the source, and no further run of this move makes it one. */
export class SourceChanged extends Error {}
