/** Moves all data from one database to another and verifies that both are equal. */
import { hash } from 'node:crypto'
import { countUnknownMigrations } from '../../db/expected-schema.ts'
import { type Database, isMissingParent } from '../../db/index.ts'
import { moveMarker } from '../../db/marker.ts'
import { type LedgerReport, verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { fail } from '../command/explain.ts'
import { Interrupted } from '../command/stop.ts'
import { type CopyOptions, copyTables, countAll } from './copy.ts'
import { digestTables, type TableDigest } from './digest.ts'

export interface MoveOptions extends Pick<CopyOptions, 'stopRequested'> {
  /** Its hash identifies the source in the target during the move: only this source can continue it. */
  sourceName: string
  onCopied(rows: number): void
  onCompared(rows: number): void
  /** Called with the number of fans whose ledger was verified. */
  onVerified(done: number, total: number): void
}

export interface MoveReport {
  tables: TableDigest[]
  /** The verification of both ledgers. Findings are already in the source and do not stop the move. */
  ledger: LedgerReport
  /** Rows copied by this run, without those of earlier runs. */
  copied: number
  /** An earlier run had completed the move. */
  movedBefore: boolean
}

/**
 * The digests of the tables if an earlier run has completed the move, otherwise null.
 * @throws CommandFailure when the target has other data; Interrupted
 */
export async function findMoved(
  source: Database,
  target: Database,
  { sourceName, onCompared, stopRequested }: Pick<MoveOptions, 'sourceName' | 'onCompared' | 'stopRequested'>,
): Promise<TableDigest[] | null> {
  const marker = await moveMarker.read(target)
  if (marker === markOf(sourceName)) return null
  if (marker !== undefined) fail('The target is being filled from another source.')
  const [sourceCounts, targetCounts] = [await countAll(source), await countAll(target)]
  const full = targetCounts.find(({ rows }) => rows > 0)
  if (!full) return null
  if (targetCounts.some(({ rows }, index) => rows !== sourceCounts[index]?.rows)) {
    fail(otherData(`${full.table}: ${full.rows} rows`))
  }
  const { tables, difference } = await compare(source, target, { onCompared, stopRequested })
  return difference === null ? tables : fail(otherData(difference))
}

const otherData = (which: string) => `The target has other data (${which}): move into an empty database.`

/** Identifies the source in the target: SHA-256 in lower-case hex, since names contain paths and hosts. */
export const markOf = (sourceName: string) => hash('sha256', sourceName, 'hex')

/** A source of a newer version may have tables that this version does not know, even if this version runs on it. */
export async function requireKnownSchema(source: Database): Promise<void> {
  const count = await countUnknownMigrations(source)
  if (count > 0) fail(`The source is ${count} migrations ahead of this version: use the newer version.`)
}

/** Requires current schemas on both sides. @throws CommandFailure, SourceChanged, Interrupted */
export async function moveDatabase(
  source: Database,
  target: Database,
  options: MoveOptions,
): Promise<MoveReport> {
  const { onVerified, stopRequested } = options
  const moved = await findMoved(source, target, options)
  const before = sum(await countAll(target))
  const tables = moved ?? (await copyAll(source, target, options))
  const [damage] = await target.findDamage()
  if (damage) fail(`The target is damaged: ${damage}.`)
  // Both databases are equal row by row, so one verification covers both ledgers.
  const ledger = await verifyLedger(
    { ...target, findDamage: async () => [] },
    {
      onProgress(done, total) {
        onVerified(done, total)
        const signal = stopRequested?.()
        if (signal) throw new Interrupted(signal, done)
      },
    },
  )
  if (!moved) await target.write(moveMarker.remove)
  return { tables, ledger, copied: sum(tables) - before, movedBefore: moved !== null }
}

async function copyAll(source: Database, target: Database, options: MoveOptions): Promise<TableDigest[]> {
  const { sourceName, onCopied, stopRequested } = options
  if ((await moveMarker.read(target)) === undefined) {
    await target.write(tx => moveMarker.write(tx, markOf(sourceName)))
  }
  try {
    await copyTables(source, target, { onRows: onCopied, stopRequested })
  } catch (error) {
    throw isMissingParent(error) ? changed('rows refer to rows that were added later') : error
  }
  const { tables, difference } = await compare(source, target, options)
  if (difference !== null) throw changed(difference)
  return tables
}

/** The digests of the target, and the first difference from the source. @throws Interrupted */
async function compare(
  source: Database,
  target: Database,
  { onCompared, stopRequested }: Pick<MoveOptions, 'onCompared' | 'stopRequested'>,
): Promise<{ tables: TableDigest[]; difference: string | null }> {
  let compared = 0
  const onRows = (rows: number) => {
    compared += rows
    onCompared(rows)
    const signal = stopRequested?.()
    if (signal) throw new Interrupted(signal, compared)
  }
  const [from, tables] = [await digestTables(source, onRows), await digestTables(target, onRows)]
  const index = from.findIndex(({ digest }, nth) => digest !== tables[nth]?.digest)
  const [inSource, inTarget] = [from[index], tables[index]]
  if (!inSource) return { tables, difference: null }
  const difference =
    inSource.rows === inTarget?.rows
      ? `the rows of ${inSource.table} differ`
      : `${inSource.table} has ${inSource.rows} rows in the source and ${inTarget?.rows} in the target`
  return { tables, difference }
}

export const sum = (counts: { rows: number }[]) => counts.reduce((total, { rows }) => total + rows, 0)

const changed = (how: string) =>
  new SourceChanged(
    `The source changed during the move: ${how}. Stop the API, empty the target, and move again.`,
  )

/** The target is not a copy of the source, and continuing this move cannot make it one. */
class SourceChanged extends Error {}
