/**
 * Multiplies the fans of a recorded season: recording millions of events through the verbs takes hours. A copied fan has the
 * rows of the original under other ids and a little later, with the hashes that follow from them, so that every verification accepts them.
 */
import { sql } from 'drizzle-orm'
import { insertRows } from '../../db/bulk.ts'
import { idFrom, timeOfId } from '../../db/id-range.ts'
import { type Database, openDatabase, type Tables } from '../../db/index.ts'
import { type Row, readPages } from '../../db/pages.ts'
import { listFanColumns } from '../../db/schema/fan-data.ts'
import { type AnyTable, tablesInOrder } from '../../db/schema/shape.ts'
import { refreshStatistics } from '../../db/statistics.ts'
import { realSources } from '../../src/core/sources.ts'
import { digestLike } from '../../src/economy/events/digest.ts'
import { hashEnrolment } from '../../src/economy/leaderboard/enrolment.ts'
import { listBoards } from '../../src/economy/leaderboard/rank-index/entries.ts'
import { rebuildRankIndex } from '../../src/economy/leaderboard/rank-index/rank-index.ts'
import { GENESIS_HASH, hashEntry } from '../../src/economy/ledgers/chain.ts'

/** Rows by table. */
type Season = Map<AnyTable, Row[]>

/** Rows per unit of work. */
const BATCH = 5_000
const PAGE_SIZE = 2_000

/** Between two copies: a server counts all records of a moment in one unit of work. */
const LATER_MS = 40

/** Columns that are unique and have no id. */
const SUFFIXED = new Set(['subject', 'handle', 'redemptionCode'])

/** Adds `copies` copies of each fan. Yields after each copy of all fans. */
export async function* copySeason(url: string, copies: number): AsyncGenerator<number> {
  const db = openDatabase(url, realSources, { bulk: true })
  try {
    const season = await readSeason(db)
    const ids = idsOf(db.tables, season)
    for (let copy = 1; copy <= copies; copy++) {
      const rows = copyOf(season, ids, copy)
      rehash(db.tables, rows)
      for (const [table, copied] of rows)
        for (let first = 0; first < copied.length; first += BATCH) {
          // Guarantee of the cast: they are rows of the table.
          const batch = copied.slice(first, first + BATCH) as AnyTable['$inferInsert'][]
          await db.write(tx => insertRows(tx, table, batch))
        }
      yield copy
    }
    await db.write(async tx => {
      for (const board of await listBoards(tx)) await rebuildRankIndex(tx, board)
      const { ruleBudgets } = tx.tables
      await tx.update(ruleBudgets).set({ granted: sql`${ruleBudgets.granted} * ${copies + 1}` })
    })
    await refreshStatistics(db)
  } finally {
    await db.close()
  }
}

/** The rows of fans, parents first. */
async function readSeason(db: Database): Promise<Season> {
  const columns = listFanColumns(db.tables)
  const season: Season = new Map()
  for (const { property, table } of tablesInOrder(db.tables)) {
    if (property !== 'users' && !columns.some(name => name.startsWith(`${property}.`))) continue
    season.set(table, (await Array.fromAsync(readPages(db.read, table, PAGE_SIZE))).flat())
  }
  return season
}

/** Ids of fans and of what they did. Those of the catalogue stay. */
function idsOf({ users, events, pointsEntries, userItems }: Tables, season: Season): Set<string> {
  const listed = [users, pointsEntries, userItems].flatMap(table => season.get(table) ?? [])
  return new Set(
    [...listed.map(({ id }) => id), ...(season.get(events) ?? []).map(({ eventId }) => eventId)].map(String),
  )
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Changes the time and the random digits of known ids in a text. Their order stays. */
function renaming(ids: Set<string>, copy: number) {
  const mask = BigInt(copy) << 24n
  return (text: string) =>
    text.replace(UUID, id => {
      if (!ids.has(id)) return id
      const time = idFrom(new Date(timeOfId(id) + copy * LATER_MS))
      const node = BigInt(`0x${id.slice(24)}`) ^ mask
      return time + id.slice(13, 24) + node.toString(16).padStart(12, '0')
    })
}

function copyOf(season: Season, ids: Set<string>, copy: number): Season {
  const rename = renaming(ids, copy)
  const laterMs = copy * LATER_MS
  const copiedValue = (name: string, value: unknown) => {
    if (value instanceof Date) return new Date(value.getTime() + laterMs)
    if (name === 'reachedAt' && typeof value === 'number') return value + laterMs
    if (typeof value !== 'string') return value
    return SUFFIXED.has(name) ? `${value}c${copy}` : rename(value)
  }
  const rowOf = (row: Row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, copiedValue(name, value)]))
  return new Map(Array.from(season, ([table, rows]) => [table, rows.map(rowOf)]))
}

/** The hashes that cover the id of a fan or of an event. */
function rehash({ leaderboardEntries, pointsEntries, pointsAccounts, events }: Tables, season: Season): void {
  // Guarantee of the casts: they are rows of these tables.
  const rowsOf = <T extends AnyTable>(table: T) => (season.get(table) ?? []) as T['$inferSelect'][]
  for (const row of rowsOf(leaderboardEntries)) row.hash = hashEnrolment(row)
  const heads = new Map<string, string>()
  for (const entry of rowsOf(pointsEntries).toSorted((a, b) => a.seq - b.seq)) {
    entry.hash = hashEntry(heads.get(entry.userId) ?? GENESIS_HASH, entry)
    heads.set(entry.userId, entry.hash)
  }
  for (const account of rowsOf(pointsAccounts)) account.headHash = heads.get(account.userId) ?? GENESIS_HASH
  for (const row of rowsOf(events)) {
    const { type, occurredAt, digest, data } = row
    if (type === null || occurredAt === null || digest === null || data === null) continue
    row.digest = digestLike(digest, { type, occurredAt, data: JSON.parse(data) })
  }
}
