/** The division of the bench, with tables in which every fan of the database has earned points. */
import { and, eq } from 'drizzle-orm'
import { insertRows } from '../../db/bulk.ts'
import { openDatabase } from '../../db/index.ts'
import { eachPage } from '../../db/keyset.ts'
import { createSpine } from '../../src/app/spine.ts'
import { realSources } from '../../src/core/sources.ts'
import { divisionKind } from '../../src/play/divisions/division-kind.ts'

const DIVISION_ID = 'bench-division'

/** The tables of a level have as many seats, and the lowest level has the most fans. */
const SIZE = 20
const LEVELS = [
  { id: 'bronze', name: 'Bronze', up: 4, down: 0 },
  { id: 'silver', name: 'Silver', up: 4, down: 4 },
  { id: 'gold', name: 'Gold', up: 0, down: 4 },
]
/** Before the first entry of a fan. */
const STARTS_AT = new Date('2024-12-30T00:00:00.000Z')
const MINUTE_MS = 60_000
const BATCH = 2_000

/** Adds the division with a period that ends in an hour. Half of the fans are in the lowest level, a sixth in the highest. */
export async function prepareDivision(url: string): Promise<void> {
  const db = openDatabase(url, realSources, { spine: createSpine() })
  await db.write(async tx => {
    await divisionKind.upsert(tx, { id: DIVISION_ID, name: 'Bench', size: SIZE, levels: LEVELS })
    await tx.insert(tx.tables.divisionPeriods).values({
      divisionId: DIVISION_ID,
      startsAt: STARTS_AT,
      endsAt: new Date(Date.now() + 60 * MINUTE_MS),
      scoring: 'points',
      size: SIZE,
      levels: JSON.stringify(LEVELS.map(({ id, up, down }) => ({ id, up, down }))),
      closedAt: null,
    })
  })
  const { users } = db.tables
  const pages = eachPage(
    { id: users.id },
    after => db.read.select({ id: users.id }).from(users).where(after),
    { size: BATCH },
  )
  const of = { divisionId: DIVISION_ID, startsAt: STARTS_AT }
  const placed = LEVELS.map(() => 0)
  let nth = 0
  for await (const page of pages) {
    const rows = page.map(({ id: userId }) => {
      const level = [0, 0, 0, 1, 1, 2][nth++ % 6] ?? 0
      const position = placed[level] ?? 0
      placed[level] = position + 1
      const seat = { number: Math.floor(position / SIZE) + 1, seat: (position % SIZE) + 1 }
      return { ...of, userId, level, ...seat, afterSeq: 0, since: STARTS_AT, result: null, untold: false }
    })
    await db.write(tx => insertRows(tx, tx.tables.divisionMembers, rows))
  }
  const levels = placed.map((count, level) => ({ ...of, level, placed: count, closed: 0 }))
  await db.write(tx => insertRows(tx, tx.tables.divisionLevels, levels))
  await db.close()
}

/** Ends the period so that its points are final, and returns how many tables are closed; null when all are. */
export async function endDivision(url: string) {
  const db = openDatabase(url, realSources)
  const { divisionPeriods: periods, divisionLevels: levels } = db.tables
  const isOf = (of: typeof periods | typeof levels) =>
    and(eq(of.divisionId, DIVISION_ID), eq(of.startsAt, STARTS_AT))
  const [isPeriod, isLevel] = [isOf(periods), isOf(levels)]
  const endsAt = new Date(Date.now() - MINUTE_MS)
  await db.write(tx => tx.update(periods).set({ endsAt }).where(isPeriod))
  return {
    async progress(): Promise<string | null> {
      const [period] = await db.read.select({ closedAt: periods.closedAt }).from(periods).where(isPeriod)
      if (period?.closedAt) return null
      const rows = await db.read.select({ closed: levels.closed }).from(levels).where(isLevel)
      return rows.map(({ closed }) => closed).join()
    },
    close: () => db.close(),
  }
}
