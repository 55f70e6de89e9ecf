/** Fills a database with a catalogue and fans at all stages: a million in minutes, as the verbs would have written them. */
import type { Database, Transaction } from '../../db/index.ts'
import { type BatchOptions, writeInBatches } from '../command/batches.ts'
import { fail } from '../command/explain.ts'
import { Interrupted } from '../command/stop.ts'
import { type Cast, drawGroups, type Group } from './groups.ts'
import { seedCatalogue } from './seed-catalogue.ts'
import { addSkipped, noneSkipped, type Skipped } from './standings.ts'
import { StaleSeason, writeRows } from './write-rows.ts'

/** Whoever writes beside a seed overtakes it now and then, and never so often without letting it write anything. */
const MOST_REDRAWS = 50

/** Fans that are written together, and groups of them drawn ahead of the writer, which is what memory holds. */
interface Pace {
  group: number
  ahead: number
}
/** Beside a live API on SQLite: a group takes a few milliseconds. */
const PATIENT: Pace = { group: 10, ahead: 40 }
/** Enough to forget the way to a server; and many of them in one unit of work write each page of an index fewer times. */
const SWIFT: Pace = { group: 200, ahead: 5 }
/** The larger the indexes are, the more fans it takes until writing a page of one again is worth it. */
const exclusivePace = (done: number): Pace => {
  return { group: Math.min(10_000, Math.max(1_000, Math.floor(done / 5))), ahead: 1 }
}

const paceOf = ({ engine }: Database, { exclusive }: SeedOptions, done: number) =>
  exclusive ? exclusivePace(done) : engine === 'sqlite' ? PATIENT : SWIFT

export interface SeedOptions extends Cast {
  /** Nobody else uses the database: no rests, long batches. */
  exclusive?: boolean
  onProgress?: (done: number, total: number) => void
  stopRequested?: BatchOptions['stopRequested']
}

export interface SeedReport {
  teams: number
  rewards: number
  packs: number
  /** Fans written by this run; those who were there are left as they are. */
  fans: number
  skipped: Skipped
  /** Of all tables, inserted or changed by this run. */
  rows: number
}

interface Pending extends Group {
  /** Rows of the database that the group has changed. */
  changed: number
}

/**
 * Runs any number of times: what is there stays as it is, whoever changed it.
 * @throws Interrupted; CommandFailure when somebody else's writes overtake it again and again
 */
export async function seedDatabase(db: Database, options: SeedOptions): Promise<SeedReport> {
  const { fans, exclusive, onProgress, stopRequested } = options
  const catalogue = await db.write(seedCatalogue)
  let done = 0
  let written = 0
  let changed = catalogue.rows
  const skipped = noneSkipped()
  let redraws = 0
  let pending: Pending[] = []

  /** Groups in order from the first that is not written. */
  async function* draw() {
    const sizeAt = (index: number) => paceOf(db, options, index).group
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
        ahead: paceOf(db, options, done).ahead,
        stopRequested,
        onBatch(batch) {
          for (const { rows, upTo, ...group } of pending.splice(0, batch.done - groups)) {
            written += rows.users.length
            changed += group.changed
            addSkipped(skipped, group.skipped)
            done = upTo
          }
          redraws = 0
          groups = batch.done
          onProgress?.(done, fans)
        },
      })
      done = fans
    } catch (error) {
      if (error instanceof Interrupted) throw new Interrupted(error.signal, done)
      if (!(error instanceof StaleSeason)) throw error
      // A batch that was overtaken has not asked.
      const signal = stopRequested?.()
      if (signal) throw new Interrupted(signal, done)
      if (++redraws > MOST_REDRAWS) {
        fail(
          `The fans after the first ${done} were overtaken ${redraws} times in a row: something else keeps writing them, their ` +
            'handles, rewards or packs. The same again goes on from there.',
        )
      }
    }
  }
  onProgress?.(fans, fans)
  return { ...catalogue, fans: written, skipped, rows: changed }
}
