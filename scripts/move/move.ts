/** Moves everything from one database to another, and believes it only when both hold the same. */
import { hash } from 'node:crypto'
import { countUnknownMigrations } from '../../db/expected-schema.ts'
import { type Database, isMissingParent } from '../../db/index.ts'
import { readMoveMarker, removeMoveMarker, writeMoveMarker } from '../../db/move-marker.ts'
import { type LedgerReport, verifyLedger } from '../../src/admin/audit/verify-ledger.ts'
import { fail } from '../command/explain.ts'
import { Interrupted } from '../command/stop.ts'
import { type CopyOptions, copyTables, countAll } from './copy.ts'
import { digestTables, type TableDigest } from './digest.ts'

export interface MoveOptions extends Pick<CopyOptions, 'stopRequested'> {
  /** Its hash names the source in the target until the move is done: only it may be gone on from. */
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
  /** An earlier run had moved everything. */
  movedBefore: boolean
}

/**
 * Whether an earlier run has moved everything, whatever became of its answer: the digests of both then. Null when
 * there is something to move. @throws CommandFailure when the target holds anything else, Interrupted
 */
export async function findMoved(
  source: Database,
  target: Database,
  { sourceName, onCompared, stopRequested }: Pick<MoveOptions, 'sourceName' | 'onCompared' | 'stopRequested'>,
): Promise<TableDigest[] | null> {
  const marker = await readMoveMarker(target)
  if (marker === markOf(sourceName)) return null
  if (marker !== undefined) fail('The target is being filled from another source.')
  const [wanted, held] = [await countAll(source), await countAll(target)]
  const full = held.find(({ rows }) => rows > 0)
  if (!full) return null
  if (held.some(({ rows }, at) => rows !== wanted[at]?.rows)) {
    fail(otherData(`${full.table}: ${full.rows} rows`))
  }
  const { tables, difference } = await compare(source, target, { onCompared, stopRequested })
  return difference === null ? tables : fail(otherData(difference))
}

const otherData = (which: string) => `The target holds other data (${which}): move into an empty database.`

/** What a target notes of its source: SHA-256 in lower-case hex, as names are paths and hosts of the operator's. */
const markOf = (sourceName: string) => hash('sha256', sourceName, 'hex')

/** A source of a newer version has tables that this one would leave behind. */
export async function requireKnownSchema(source: Database): Promise<void> {
  const unknown = await countUnknownMigrations(source)
  if (unknown > 0) fail(`The source is ${unknown} migrations ahead of this version: move with the newer one.`)
}

/** Both are migrated. @throws CommandFailure, SourceChanged, Interrupted */
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
  if (!moved) await target.write(removeMoveMarker)
  return { tables, ledger, copied: sum(tables) - before, movedBefore: moved !== null }
}

async function copyAll(source: Database, target: Database, options: MoveOptions): Promise<TableDigest[]> {
  const { sourceName, onCopied, stopRequested } = options
  if ((await readMoveMarker(target)) === undefined) {
    await target.write(tx => writeMoveMarker(tx, markOf(sourceName)))
  }
  try {
    await copyTables(source, target, { onRows: onCopied, stopRequested })
  } catch (error) {
    throw isMissingParent(error) ? changed('rows refer to others that came later') : error
  }
  const { tables, difference } = await compare(source, target, options)
  if (difference !== null) throw changed(difference)
  return tables
}

/** The target's digests, and the first thing in which the source's are others. @throws Interrupted */
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
  const at = from.findIndex(({ digest }, nth) => digest !== tables[nth]?.digest)
  const [there, here] = [from[at], tables[at]]
  if (!there) return { tables, difference: null }
  const difference =
    there.rows === here?.rows
      ? `the rows of ${there.table} are not the same`
      : `${there.table} has ${there.rows} rows there and ${here?.rows} here`
  return { tables, difference }
}

const sum = (counts: { rows: number }[]) => counts.reduce((total, { rows }) => total + rows, 0)

const changed = (how: string) =>
  new SourceChanged(
    `The source changed while it was moved: ${how}. Stop the API, empty the target, and move again.`,
  )

/** The target is no copy of the source, and no further run of this move makes it one. */
class SourceChanged extends Error {}
