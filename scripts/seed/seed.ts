/** Fills a database with a catalogue and fans at all stages: a million in minutes, as the verbs would have written them. */
import { and, eq, inArray } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../db/index.ts'
import { type Fan, walkFans } from '../../mock-idp/users.ts'
import { type BatchOptions, writeInBatches } from '../command/batches.ts'
import { Interrupted } from '../command/stop.ts'
import { addLife, type LifeTerms, noRows, type Rows } from './life.ts'
import { stageOf } from './plan.ts'
import { readSeason } from './season.ts'
import { seedCatalogue } from './seed-catalogue.ts'
import { createSeedSources } from './sources.ts'
import { StaleSeason, writeRows } from './write-rows.ts'

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

export interface SeedOptions extends LifeTerms {
  seed: number
  /** How many fans the provider has; about a third of them stay new to the application. */
  fans: number
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
  /** Of all tables, inserted or changed by this run. */
  rows: number
}

/** Fans with their rows; `upTo` is how many of the provider's fans are done with them. */
interface Group {
  rows: Rows
  upTo: number
  /** Rows of the database that they have changed. */
  changed: number
}

/** Runs any number of times: what is there stays as it is, whoever changed it. @throws Interrupted */
export async function seedDatabase(db: Database, options: SeedOptions): Promise<SeedReport> {
  const { fans, exclusive, onProgress, stopRequested } = options
  const catalogue = await db.write(seedCatalogue)
  let done = 0
  let written = 0
  let changed = catalogue.rows
  let pending: Group[] = []

  /** Groups in order from the first that is not written. */
  async function* draw() {
    for await (const group of drawGroups(db, options, done)) {
      pending.push(group)
      yield group
    }
  }

  while (done < fans) {
    pending = []
    try {
      let groups = 0
      const write = async (tx: Transaction, group: Group) => {
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
            done = upTo
          }
          groups = batch.done
          onProgress?.(done, fans)
        },
      })
      done = fans
    } catch (error) {
      if (error instanceof Interrupted) throw new Interrupted(error.signal, done)
      if (!(error instanceof StaleSeason)) throw error
    }
  }
  onProgress?.(fans, fans)
  return { ...catalogue, fans: written, rows: changed }
}

async function* drawGroups(db: Database, options: SeedOptions, from: number): AsyncGenerator<Group> {
  const { seed, fans: count, provider } = options
  const season = await readSeason(db.read)
  const sourcesOf = createSeedSources(seed)
  let index = 0
  let group: { fan: Fan; index: number }[] = []
  for (const fan of walkFans({ seed, count })) {
    if (index >= from && stageOf(index) !== 'new') group.push({ fan, index })
    index++
    if (group.length < paceOf(db, options, index).group && index < count) continue
    const known = await readKnown(
      db.read,
      provider.name,
      group.map(member => member.fan),
    )
    const rows = noRows()
    for (const { fan: member, index: at } of group) {
      const stage = stageOf(at)
      if (stage === 'new' || known.subjects.has(member.sub)) continue
      const handleTaken = known.handles.has(member.preferred_username)
      addLife(rows, member, stage, { sources: sourcesOf(at), season, terms: options, handleTaken })
    }
    group = []
    yield { rows, upTo: index, changed: 0 }
  }
}

/** Which of some fans have a record, and which of their handles somebody has. */
async function readKnown(reader: Reader, provider: string, fans: Fan[]) {
  const { users } = reader.tables
  const subjects = fans.map(({ sub }) => sub)
  const there = await reader
    .select({ subject: users.subject })
    .from(users)
    .where(and(eq(users.provider, provider), inArray(users.subject, subjects)))
  const handles = fans.map(fan => fan.preferred_username)
  const taken = await reader
    .select({ handle: users.handle })
    .from(users)
    .where(inArray(users.handle, handles))
  return {
    subjects: new Set(there.map(({ subject }) => subject)),
    handles: new Set(taken.map(({ handle }) => handle)),
  }
}
