/**
 * The counts of the season: of what is recorded, and for the crowd, which has records of little else, what the detailed fans
 * suggest. These rows are marked as stated: verifications compare only what was counted.
 */
import { and, eq, gt, inArray, ne } from 'drizzle-orm'
import { insertRows } from '../../db/bulk.ts'
import type { Database, Tables, Transaction } from '../../db/index.ts'
import { countSeason, forgetSeason } from '../../src/figures/season/sweep.ts'
import { createTally, dayNumber, type FanRow, weekNumber, weekOf } from '../../src/figures/season/tally.ts'
import { writeRecord } from '../../src/play/catalogue-file/kinds.ts'
import { readCalendar } from './calendar.ts'
import { PROVIDER } from './crowd.ts'
import type { SeedParameters } from './groups.ts'
import { createSeedSources } from './sources.ts'

/** Far from the indexes of fans, and of the other parts. */
const INDEX = 100_000_003
/** What the crowd does as the detailed fans do. Packs, products and rewards are left out: their stock is theirs alone. */
const OF_CROWD = [
  ...['points.in', 'points.out', 'balance', 'rule.times', 'rule.points', 'rule.fans', 'rule.repeats'],
  ...['quest.times', 'quest.points', 'quest.fans', 'quest.repeats'],
]

type SeasonCount = Tables['seasonCounts']['$inferSelect']
type Figures = Tables['dailyFigures']['$inferSelect']

/** Counts by day, and where daily figures have the same. */
const POINTS_OF: Record<string, (figures: Figures) => number> = {
  'points.in': ({ pointsGranted }) => pointsGranted,
  'points.out': ({ pointsSpent, pointsTaken }) => pointsSpent + pointsTaken,
}

/** Counts again from the beginning, since a seed writes records of the past. Writes nothing the second time. */
export async function seedSeasonFigures(
  db: Database,
  { seed, instant }: Pick<SeedParameters, 'seed' | 'instant'>,
): Promise<void> {
  const { seasonFans: fans } = db.tables
  const stated = await db.read.select({ id: fans.userId }).from(fans).where(eq(fans.stated, true)).limit(1)
  if (stated.length > 0) return
  await db.write(forgetSeason)
  await countSeason(db, () => false, { size: 20_000, exclusive: true })
  await db.write(async tx => {
    const { seasonFans, users, seasonCounts } = tx.tables
    const members = await tx
      .select({ row: seasonFans })
      .from(seasonFans)
      .innerJoin(users, eq(users.id, seasonFans.userId))
      .where(eq(users.provider, PROVIDER))
      .orderBy(seasonFans.userId)
    const detailed = await tx
      .select({ row: seasonFans })
      .from(seasonFans)
      .innerJoin(users, eq(users.id, seasonFans.userId))
      .where(and(ne(users.provider, PROVIDER), gt(seasonFans.steps, 1)))
      .orderBy(seasonFans.userId)
    if (members.length === 0 || detailed.length === 0) return
    await statePointValue(tx)
    const calendar = await readCalendar(tx, instant ?? tx.now())
    const { faker } = createSeedSources(seed, calendar)(INDEX, calendar.created)
    const now = weekNumber(calendar.now)
    const changed = members.map(({ row }): [FanRow, FanRow] => {
      const like = faker.helpers.arrayElement(detailed).row
      // Only the weeks that have begun.
      const weeks = like.weeks % 2 ** Math.max(1, now - row.week + 1)
      return [row, { ...row, steps: Math.max(row.steps, like.steps), weeks, stated: true }]
    })
    await stateFans(tx, changed)
    const counted = await tx.select().from(seasonCounts).where(inArray(seasonCounts.kind, OF_CROWD))
    const { points, factorIn } = await countPointsOfCrowd(tx, counted)
    const factor = members.length / detailed.length
    const others = counted.flatMap(count => {
      if (count.kind in POINTS_OF) return []
      const by = count.bucket === 0 || count.kind === 'balance' ? factor : factorIn(count.bucket)
      return { ...count, stated: true, amount: Math.round(count.amount * by) }
    })
    await insertRows(tx, seasonCounts, [...points, ...others])
  })
}

/**
 * Points of the crowd as the daily figures have them, so that the pages of the console agree, with the reasons of the detailed
 * fans. `factorIn`: the crowd's points of a week for each one that was counted. Today the crowd does nothing.
 */
async function countPointsOfCrowd(tx: Transaction, counted: SeasonCount[]) {
  const figures = await tx.select().from(tx.tables.dailyFigures)
  const points: SeasonCount[] = []
  const [ofWeek, ofCrowd] = [new Map<number, number>(), new Map<number, number>()]
  for (const [kind, totalOf] of Object.entries(POINTS_OF)) {
    const [ofDay, ofName] = [new Map<number, number>(), new Map<string, number>()]
    for (const { bucket, name, amount } of counted.filter(one => one.kind === kind)) {
      add(ofDay, bucket, amount)
      add(ofName, name, amount)
      if (kind === 'points.in') add(ofWeek, weekOf(bucket), amount)
    }
    const all = [...ofName.values()].reduce((sum, amount) => sum + amount, 0)
    for (const figure of figures) {
      const day = dayNumber(new Date(figure.day))
      const rest = Math.max(0, totalOf(figure) - (ofDay.get(day) ?? 0))
      if (kind === 'points.in') add(ofCrowd, weekOf(day), rest)
      for (const [name, amount] of ofName)
        points.push({ kind, bucket: day, name, stated: true, amount: Math.round((rest * amount) / all) })
    }
  }
  return { points, factorIn: (week: number) => (ofCrowd.get(week) ?? 0) / (ofWeek.get(week) || 1) }
}

function add<Key>(sums: Map<Key, number>, key: Key, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount)
}

/** Half a cent, unless the club has settings. */
async function statePointValue(tx: Transaction): Promise<void> {
  const found = await tx.select({ id: tx.tables.settings.id }).from(tx.tables.settings).limit(1)
  if (found.length > 0) return
  await writeRecord(tx, { kind: 'settings', entry: { id: 'club', currency: 'EUR', pointValue: 0.5 } })
}

async function stateFans(tx: Transaction, changed: [before: FanRow, after: FanRow][]): Promise<void> {
  const tally = createTally(() => 0)
  for (const [before, after] of changed) {
    tally.addFan(before, -1)
    tally.addFan(after, 1)
  }
  const { seasonFans, seasonCounts } = tx.tables
  const set = { set: ['steps', 'weeks', 'stated'] }
  await insertRows(
    tx,
    seasonFans,
    changed.map(([, after]) => after),
    set,
  )
  const counts = tally.list().map(count => ({ ...count, stated: false }))
  await insertRows(tx, seasonCounts, counts, { add: 'amount' })
}
