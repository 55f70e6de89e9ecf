/**
 * Moves a database while it serves. Rows are copied page by page; rows that change meanwhile are copied again by their keys (see
 * `changes.ts`) until few are left. Then the source refuses writes, and the last changes are copied.
 */

import { sql } from 'drizzle-orm'
import { type Database, describeViolation } from '../../db/index.ts'
import { followMarker, moveMarker } from '../../db/marker.ts'
import { type Row, readLast, readPages } from '../../db/pages.ts'
import { runStatement } from '../../db/schema/shape.ts'
import { CommandFailure, explainError, fail } from '../command/explain.ts'
import { Interrupted, type StopSignal } from '../command/stop.ts'
import { allowWrites, countChanges, follow, isRefusing, noteKeys, refuseWrites } from './changes.ts'
import { countAll, type MovedTable, PAGE_SIZE } from './copy.ts'
import { copyTurn, type Due, type Failed, insert, writeEach } from './copy-turn.ts'
import { markOf, sum } from './move.ts'
import { compareKeys, isSame, keyOf, type Pair, pairsOf } from './pairs.ts'

/** Changes that are copied in one turn. */
const TURN = 2_000
/** The source stops when copying the last changes takes about as long. */
const REST_MS = 5_000
const MAX_TURNS = 10_000
/** A row that this number of turns could not copy cannot be copied at all. */
const MAX_TRIES = 3

export interface LiveOptions {
  sourceName: string
  targetName: string
  onRows(rows: number): void
  stopRequested?: (() => StopSignal | undefined) | undefined
  /** Elapsed milliseconds. */
  now(): number
}

export interface LiveReport {
  rows: number
  /** Keys of changed rows that were copied again. */
  changes: number
  /** Of them, those after the source refused writes. */
  lastChanges: number
  /** From the moment at which the source refused writes. */
  stoppedMs: number
  /** An earlier run had ended the move. */
  movedBefore: boolean
}

/** @throws CommandFailure, Interrupted; the source then takes writes, and is still followed */
export async function moveLive(from: Database, to: Database, options: LiveOptions): Promise<LiveReport> {
  if (!(await begin(from, to, options)))
    return { rows: 0, changes: 0, lastChanges: 0, stoppedMs: 0, movedBefore: true }
  const source = guarded(
    from,
    followMarker,
    markOf(options.targetName),
    'The source is no longer followed for this target: --abort has ended this move.',
  )
  const target = guarded(
    to,
    moveMarker,
    markOf(options.sourceName),
    'The target no longer belongs to this move: another run has ended it.',
  )
  const pairs = pairsOf(source, target)
  const stop = (done: number) => {
    const signal = options.stopRequested?.()
    if (signal) throw new Interrupted(signal, done)
  }
  let changes = 0
  /** Copies changes until the rest takes no longer than this, and none of the last turn waits. */
  const copyChanges = async (restMs: number) => {
    let eachMs = Number.POSITIVE_INFINITY
    let waiting = new Map<string, number>()
    for (let turn = 0; ; turn++) {
      const left = await countChanges(source)
      if (left === 0 || (waiting.size === 0 && left * eachMs <= restMs)) return
      if (turn === MAX_TURNS)
        fail('The source changes faster than its changes are copied: stop the API, and move.')
      const tries = Math.max(0, ...waiting.values())
      // Rows that wait are read first: a greater turn also reads those that they wait for.
      const size = TURN * 2 ** tries
      const startedAt = options.now()
      const copied = await copyTurn(source, target, pairs, size)
      // A row may wait for one of a later turn, unless this one was the last or copied nothing.
      const counts = copied.read < size || copied.done === 0
      waiting = new Map(
        copied.left.map(({ item: { pair, key } }) => {
          const name = `${pair.from.shape.name} ${key}`
          return [name, counts ? (waiting.get(name) ?? 0) + 1 : 0]
        }),
      )
      const stuck = copied.left.filter(
        ({ item: { pair, key } }) => waiting.get(`${pair.from.shape.name} ${key}`) === MAX_TRIES,
      )
      if (stuck[0]) fail(explainStuck(stuck, stuck[0].error))
      eachMs = (options.now() - startedAt) / copied.done
      changes += copied.done
      stop(changes)
    }
  }
  let rows = 0
  for (const pair of pairs) {
    // Rows after it are new, and noted by the triggers: without an end, the copy would follow a table that grows as fast.
    const end = await readLast(source.read, pair.from.table)
    const after = await readLast(target.read, pair.to.table)
    for await (const page of readPages(source.read, pair.from.table, PAGE_SIZE, after)) {
      const left = await writeEach(target, page, (tx, list) => insert(tx, pair.to.table, list))
      await noteKeys(
        source,
        pair.from,
        left.map(({ item }) => keyOf(pair.from, item)),
      )
      rows += page.length
      options.onRows(page.length)
      stop(rows)
      const last = page.at(-1)
      if (!last || !end || compareKeys(keyOf(pair.from, last), keyOf(pair.from, end)) >= 0) break
    }
  }
  await copyChanges(REST_MS)
  for (const pair of pairs) await noteDifferences(source, target, pair, () => stop(rows))
  await copyChanges(REST_MS)
  const before = changes
  try {
    await refuseWrites(source)
    const stoppedAt = options.now()
    await copyChanges(0)
    const [is, must] = [await countAll(target), await countAll(source)]
    const wrong = must.find(({ rows: count }, index) => count !== is[index]?.rows)
    if (wrong) fail(`${wrong.table} has another number of rows in the target.`)
    await checkGuard(source)
    await target.write(async tx => {
      // The connection of bulk work does not wait for the disk: with this commit, all that it wrote is durable.
      if (target.engine === 'postgres') await runStatement(tx, sql`SET LOCAL synchronous_commit = on`)
      await moveMarker.remove(tx)
    })
    const stoppedMs = options.now() - stoppedAt
    return { rows: sum(is), changes, lastChanges: changes - before, stoppedMs, movedBefore: false }
  } catch (error) {
    // Nothing is lost when a target that cannot be read is not complete: this run reports a failure.
    const isEnded = await checkGuard(target).then(
      () => false,
      thrown => thrown instanceof CommandFailure,
    )
    if (!isEnded)
      await allowWrites(source).catch(second => {
        // After --abort, it takes writes.
        if (!(second instanceof CommandFailure))
          fail(`${explainError(error)} The source still refuses writes: ${explainError(second)}`)
      })
    throw error
  }
}

/** A database whose units of work fail unless it has this mark: another run may have ended the move. */
const guarded = (db: Database, marker: typeof moveMarker, mark: string, ended: string): Database => ({
  ...db,
  write: work =>
    db.write(async tx => {
      if ((await marker.read(db, tx)) !== mark) fail(ended)
      return work(tx)
    }),
})

const checkGuard = (db: Database) => db.write(async () => undefined)

function explainStuck(stuck: Failed<Due>[], error: unknown): string {
  const tables = new Set(stuck.map(({ item }) => item.pair.from.shape.name))
  return `${stuck.length} changed rows of ${[...tables].join(', ')} cannot be copied: ${describeViolation(error)}.`
}

/** False if an earlier run has ended the move. Only `--abort` ends what another run has begun. */
async function begin(
  source: Database,
  target: Database,
  { sourceName, targetName }: LiveOptions,
): Promise<boolean> {
  const marks = { from: markOf(sourceName), to: markOf(targetName) }
  const followedFor = await followMarker.read(source)
  const followed = followedFor !== undefined
  if (followed && followedFor !== marks.to)
    fail('A live move to another target follows the source: complete it, or end it with --abort.')
  const marker = await moveMarker.read(target)
  if (marker !== undefined && marker !== marks.from) fail('The target is being filled from another source.')
  const isEmpty = sum(await countAll(target)) === 0
  if (marker === undefined && followed && (await isRefusing(source))) {
    if (isEmpty) fail('This move has ended, and the target is empty now: use --abort before you move again.')
    return false
  }
  if (!isEmpty && marker === undefined) fail('The target has other data: move into an empty database.')
  if (!isEmpty && !followed)
    fail('The source was not followed since the move was interrupted: empty the target, and move again.')
  if (!followed) await follow(source, marks.to)
  if (marker === undefined) await target.write(tx => moveMarker.write(tx, marks.from))
  return true
}

/** Notes each row that differs, up to the last one of now. Rows that change or are added meanwhile are noted by the triggers. */
async function noteDifferences(
  source: Database,
  target: Database,
  { from, to }: Pair,
  stop: () => void,
): Promise<void> {
  const end = await readLast(source.read, from.table)
  const [left, right] = [eachRowOf(source, from), eachRowOf(target, to)]
  let [a, b] = [await left.next(), await right.next()]
  const different: unknown[][] = []
  for (let read = 0; !a.done || !b.done; read++) {
    const order = a.done ? 1 : b.done ? -1 : compareKeys(keyOf(from, a.value), keyOf(to, b.value))
    const one = order <= 0 ? a.value : b.value
    if (one && !a.done && end && compareKeys(keyOf(from, one), keyOf(from, end)) > 0) break
    if (one && (order !== 0 || !isSame(from, a.value ?? {}, b.value ?? {}))) different.push(keyOf(from, one))
    if (order <= 0) a = await left.next()
    if (order >= 0) b = await right.next()
    if (read % PAGE_SIZE === 0) stop()
  }
  await noteKeys(source, from, different)
}

async function* eachRowOf(db: Database, { table }: MovedTable): AsyncGenerator<Row, undefined> {
  for await (const page of readPages(db.read, table, PAGE_SIZE)) yield* page
}
