/** Fills a database with a catalogue and fans at all stages: the rows that the verbs would write, in bulk. */
import type { Database, Transaction } from '../../db/index.ts'
import { type BatchOptions, writeInBatches } from '../command/batches.ts'
import { fail } from '../command/explain.ts'
import { Interrupted } from '../command/stop.ts'
import { seedCash } from './cash.ts'
import { seedCrowd } from './crowd.ts'
import { seedCup } from './cup.ts'
import { seedDivisions } from './divisions.ts'
import { drawGroups, type Group, type SeedParameters } from './groups.ts'
import { seedLeagues } from './leagues.ts'
import { seedLoyalty } from './loyalty.ts'
import { seedQuestions } from './questions.ts'
import { addSkipped, noneSkipped, type Skipped } from './record-states.ts'
import { seedRights } from './rights.ts'
import { seedSeasonFigures } from './season-figures.ts'
import { type SeededEntries, seedCatalogue } from './seed-catalogue.ts'
import { seedSociety } from './society.ts'
import { seedStaffWork } from './staff-work.ts'
import { StaleRowsError, writeRows } from './write-rows.ts'

/** Concurrent writers sometimes make computed rows stale; this many times in a row indicates a problem. */
const MAX_RETRIES = 50

/** Fans per group, and groups computed ahead of the writer, which bounds the memory. */
interface BatchSize {
  group: number
  ahead: number
}
/** While the API serves on SQLite: a group takes a few milliseconds. */
const SHARED_SQLITE: BatchSize = { group: 10, ahead: 40 }
/** Large enough to amortize round trips, and to write each index page fewer times. */
const SHARED_POSTGRES: BatchSize = { group: 200, ahead: 5 }
/** How long the unit of work of an exclusive group may take, far below the timeout of a statement. Milliseconds. */
const EXCLUSIVE_GROUP_MS = 5_000
const FIRST_EXCLUSIVE_GROUP = 100

/**
 * The size of exclusive groups. It grows with the indexes, so that each index page is written fewer times, and is limited by
 * the time that a fan took last, so that a slow server ends each group.
 */
function createExclusiveSize() {
  let affordable = FIRST_EXCLUSIVE_GROUP
  return {
    at: (done: number) => Math.min(affordable, 10_000, Math.max(1_000, Math.floor(done / 5))),
    note(fans: number, ms: number) {
      if (fans > 0)
        affordable = Math.max(1, Math.min(affordable * 2, Math.floor((EXCLUSIVE_GROUP_MS * fans) / ms)))
    },
  }
}

export interface SeedOptions extends SeedParameters {
  /** The currencies of cash. If they include euros, some fans have euros. */
  cashCurrencies?: readonly string[]
  /** Fans around them, known by little more than daily figures. With them, staff have acted. Default: 0. */
  crowd?: number
  /** No other process uses the database: long batches without pauses. */
  exclusive?: boolean
  onProgress?: (done: number, total: number) => void
  stopRequested?: BatchOptions['stopRequested']
  /** A monotonic clock, in milliseconds. */
  now?: BatchOptions['now']
}

export interface SeedReport extends SeededEntries {
  /** Fans written by this run. */
  fans: number
  skipped: Skipped
  /** Inserted or changed rows of all tables. */
  rows: number
}

interface Pending extends Group {
  /** Database rows changed by the group. */
  changed: number
}

/**
 * Idempotent: existing rows are not changed.
 * @throws Interrupted; CommandFailure when concurrent writes keep making the computed rows stale
 */
export async function seedDatabase(db: Database, options: SeedOptions): Promise<SeedReport> {
  const { fans, exclusive, onProgress, stopRequested, now } = options
  const shared = db.engine === 'sqlite' ? SHARED_SQLITE : SHARED_POSTGRES
  const exclusiveSize = createExclusiveSize()
  const catalogue = await db.write(tx => seedCatalogue(tx, options.predictionPoints, options.instant))
  let done = 0
  let written = 0
  let changed = catalogue.rows
  const skipped = noneSkipped()
  let retries = 0
  let pending: Pending[] = []

  /** Yields the groups from the first unwritten one. */
  async function* draw() {
    const sizeAt = exclusive ? exclusiveSize.at : () => shared.group
    for await (const drawn of drawGroups(db.read, options, { from: done, sizeAt })) {
      const group = { ...drawn, changed: 0 }
      pending.push(group)
      yield group
    }
  }

  while (done < fans) {
    pending = []
    try {
      let groups = 0
      const write = async (tx: Transaction, group: Pending) => {
        group.changed = await writeRows(tx, group.rows)
      }
      await writeInBatches(db, draw(), write, {
        exclusive,
        ahead: exclusive ? 1 : shared.ahead,
        stopRequested,
        ...(now ? { now } : {}),
        onBatch(batch) {
          for (const { rows, upTo, ...group } of pending.splice(0, batch.done - groups)) {
            written += rows.users.length
            exclusiveSize.note(rows.users.length, batch.heldMs)
            changed += group.changed
            addSkipped(skipped, group.skipped)
            done = upTo
          }
          retries = 0
          groups = batch.done
          onProgress?.(done, fans)
        },
      })
      done = fans
    } catch (error) {
      if (error instanceof Interrupted) throw new Interrupted(error.signal, done)
      if (!(error instanceof StaleRowsError)) throw error
      // A batch that failed did not check for a signal.
      const signal = stopRequested?.()
      if (signal) throw new Interrupted(signal, done)
      if (++retries > MAX_RETRIES) {
        fail(
          `Writing the fans after the first ${done} failed ${retries} times in a row: another process keeps changing them, ` +
            'their handles, rewards or packs. Run the command again to continue.',
        )
      }
    }
  }
  await seedLeagues(db, options)
  // Of the same day, in the order of their times: the events of a fan, and the entries of a ledger, follow each other.
  await seedCash(db, { ...options, currencies: options.cashCurrencies ?? [] })
  await seedSociety(db, options)
  await seedCup(db, options)
  await seedRights(db, options)
  const { crowd = 0 } = options
  if (crowd > 0) {
    await seedCrowd(db, { ...options, crowd })
    await seedLoyalty(db, options)
  }
  await seedQuestions(db, options)
  if (crowd > 0) {
    await seedStaffWork(db, options)
    await seedSeasonFigures(db, options)
  }
  await seedDivisions(db, options)
  onProgress?.(fans, fans)
  return { ...catalogue, fans: written, skipped, rows: changed }
}
