/**
 * Adds what was recorded since the last time to the counts of the season. Claims and other verbs write nothing for it: a task
 * reads new records in the order of time, once units of work that began before have ended. The counts and the instant up to
 * which everything is counted change in one unit of work, so each record counts once, however often processes stop, and
 * however many run.
 */
import { and, eq, inArray } from 'drizzle-orm'
import { restAfter } from '../../../db/batches.ts'
import { insertRows } from '../../../db/bulk.ts'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { readSeams } from '../../economy/points/seams.ts'
import {
  findStart,
  readArchived,
  readKnownFans,
  readSlice,
  SETTLED_AFTER_MS,
  type Slice,
} from './read-slice.ts'
import { readSponsorOf, type SponsorOf } from './sponsored.ts'
import {
  type Count,
  createTally,
  DAY_MS,
  dayNumber,
  type FanRow,
  newFanRow,
  roundBalance,
  type Tally,
} from './tally.ts'

/** Of the one row of `season_sweep`. */
export const ID = 'club'
/** The name of points that fans had before the first entry that is counted: older entries are in the archive. */
export const ARCHIVED = 'archived'

/** Everything before it is counted. Null: nothing yet. */
export async function readCountedUntil(reader: Reader): Promise<Date | null> {
  const { seasonSweep } = reader.tables
  const [row] = await reader.select().from(seasonSweep).where(eq(seasonSweep.id, ID))
  return row?.countedUntil ?? null
}

interface SweepOptions {
  /** Records of each kind in a unit of work. It takes some milliseconds by default. */
  size?: number
  /** Nobody else uses the database: without pauses. */
  exclusive?: boolean
}

/** Counts what is settled at its start. Several processes may do it at once. Returns how many spans of time it has counted. */
export async function countSeason(
  db: Database,
  stopRequested: () => boolean,
  { size = 500, exclusive = false }: SweepOptions = {},
): Promise<number> {
  let counted = 0
  // Of the start: a later one moves on while a span is counted, so that the last span would never be reached.
  const settled = new Date(db.read.now().getTime() - SETTLED_AFTER_MS)
  let sponsorOf: SponsorOf | undefined
  for (;;) {
    const known = await readCountedUntil(db.read)
    const from = known ?? (await findStart(db.read))
    if (from === null || from >= settled || stopRequested()) return counted
    const began = performance.now()
    const nextDay = (dayNumber(from) + 1) * DAY_MS
    const slice = await readSlice(db.read, from, new Date(Math.min(settled.getTime(), nextDay)), size)
    // What a change of the catalogue says holds for records after it, which are ten minutes old when they are counted.
    sponsorOf ??= await readSponsorOf(db.read)
    const options = { isFirst: known === null, sponsorOf }
    await db.write(tx => addSlice(tx, slice, options))
    counted += 1
    if (!exclusive) await restAfter(began)
  }
}

async function addSlice(
  tx: Transaction,
  slice: Slice,
  { isFirst, sponsorOf }: { isFirst: boolean; sponsorOf: SponsorOf },
): Promise<void> {
  // Otherwise another process has counted it.
  if (!(await moveCursor(tx, slice, isFirst))) return
  const { fans, before } = await lockFans(tx, slice)
  const { numberOf, insertNew } = await readNumbers(tx)
  const tally = createTally(numberOf, sponsorOf)
  if (isFirst) await addArchived(tx, tally)
  for (const row of before.values()) tally.addFan(row, -1)
  await addRecords(tx, tally, slice, fans)
  for (const row of fans.values()) tally.addFan(row, 1)
  await insertNew()
  const changed = [...fans.values()].filter(
    row => JSON.stringify(row) !== JSON.stringify(before.get(row.userId)),
  )
  await insertRows(tx, tx.tables.seasonFans, changed, {
    set: ['teamId', 'country', 'steps', 'weeks', 'results'],
  })
  await addCounts(tx, tally.list())
}

/** Adds to stored counts, in one order for all units of work. */
async function addCounts(tx: Transaction, counts: Count[]): Promise<void> {
  const keyOf = ({ kind, bucket, name }: Count) => `${kind} ${bucket} ${name}`
  const rows = counts.filter(({ amount }) => amount !== 0).map(count => ({ ...count, stated: false }))
  await insertRows(
    tx,
    tx.tables.seasonCounts,
    rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    { add: 'amount' },
  )
}

async function moveCursor(tx: Transaction, { from, until }: Slice, isFirst: boolean): Promise<boolean> {
  const { seasonSweep } = tx.tables
  const moved = isFirst
    ? await tx
        .insert(seasonSweep)
        .values({ id: ID, countedUntil: until })
        .onConflictDoNothing()
        .returning({ id: seasonSweep.id })
    : await tx
        .update(seasonSweep)
        .set({ countedUntil: until })
        .where(and(eq(seasonSweep.id, ID), eq(seasonSweep.countedUntil, from)))
        .returning({ id: seasonSweep.id })
  return moved.length > 0
}

/** The fans of a slice, with their present team and country. `before`: as they are stored. */
async function lockFans(tx: Transaction, { fans: ids, events, entries, predictions }: Slice) {
  const { seasonFans } = tx.tables
  const userIds = new Set([...ids, ...[...events, ...entries, ...predictions].map(row => row.userId ?? '')])
  const wanted = [...userIds].toSorted()
  const stored = await locksForUpdate(
    tx,
    tx.select().from(seasonFans).where(inArray(seasonFans.userId, wanted)).orderBy(seasonFans.userId),
  )
  const known = await readKnownFans(tx, wanted)
  const before = new Map(stored.map(row => [row.userId, row]))
  const fans = new Map(
    known.map(user => {
      const { teamId, country, ...row } = newFanRow(user)
      return [user.id, { ...row, ...before.get(user.id), teamId, country }]
    }),
  )
  return { fans, before }
}

async function addRecords(tx: Transaction, tally: Tally, slice: Slice, fans: Map<string, FanRow>) {
  const each = <Row extends { userId: string | null }>(rows: Row[], add: (fan: FanRow, row: Row) => void) => {
    for (const row of rows) {
      const fan = fans.get(row.userId ?? '')
      if (fan) add(fan, row)
    }
  }
  const seams = await readSeams(tx, [...new Set(slice.entries.map(({ userId }) => userId))])
  each(slice.events, tally.addEvent)
  each(slice.entries, (fan, entry) =>
    tally.addEntry(fan, entry, entry.seq > (seams.get(fan.userId)?.seq ?? 0)),
  )
  each(slice.predictions, (fan, { createdAt }) => tally.addPrediction(fan, createdAt))
  for (const { day, endpointId, amount } of slice.deliveries) tally.add('deliveries', day, endpointId, amount)
}

/** The balances of fans at the seam of the archive, whose entries before it are not all there to be counted. */
async function addArchived(tx: Transaction, tally: Tally): Promise<void> {
  for (const { until, balance, kept } of await readArchived(tx)) {
    tally.add('balance', roundBalance(balance), '', 1)
    tally.add('points.in', dayNumber(until), ARCHIVED, balance - kept)
  }
}

/** The numbers of subjects. Only the unit of work that has moved the cursor assigns new ones. */
async function readNumbers(tx: Transaction) {
  const { seasonSubjects } = tx.tables
  const stored = await tx.select().from(seasonSubjects)
  const numbers = new Map(stored.map(({ kind, name, number }) => [`${kind} ${name}`, number]))
  const added: typeof stored = []
  return {
    numberOf: (kind: string, name: string) =>
      numbers.getOrInsertComputed(`${kind} ${name}`, () => {
        const number = numbers.size + 1
        added.push({ number, kind, name })
        return number
      }),
    insertNew: () => insertRows(tx, seasonSubjects, added),
  }
}

/** Takes erased fans out of the sums of their team and country. */
export async function forgetSegments(tx: Transaction, userIds: string[]): Promise<void> {
  const { seasonFans, seasonSweep } = tx.tables
  // A unit of work that counts them now ends before, or reads them as erased.
  await locksForUpdate(tx, tx.select().from(seasonSweep).where(eq(seasonSweep.id, ID)))
  const isErased = inArray(seasonFans.userId, userIds)
  const rows = await locksForUpdate(tx, tx.select().from(seasonFans).where(isErased))
  const tally = createTally(() => 0)
  for (const row of rows) {
    tally.addFan(row, -1)
    tally.addFan({ ...row, teamId: null, country: null }, 1)
  }
  await tx.update(seasonFans).set({ teamId: null, country: null }).where(isErased)
  await addCounts(tx, tally.list())
}

/** Forgets all counts, so that they are made again: for what writes records of the past. */
export async function forgetSeason(tx: Transaction): Promise<void> {
  const { seasonCounts, seasonFans, seasonSubjects, seasonSweep } = tx.tables
  for (const table of [seasonCounts, seasonFans, seasonSubjects, seasonSweep]) await tx.delete(table)
}
