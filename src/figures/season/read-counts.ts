/** The counts of the season, as the page shows them: a handful of statements on one table, whatever the number of fans. */
import { and, asc, between, type Column, eq, gte, inArray, lt, lte, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import type { PointsReason } from '../../economy/ledgers/reasons.ts'
import { dayNumber, EVER, mondayOf, STEPS, WEEKS, weekOf } from './tally.ts'

/** Reasons that move points between records of a person: nobody has earned or lost any. */
const MOVED: PointsReason[] = [
  ...(['merge', 'merge_void', 'merge_spent', 'merge_returned', 'merge_reclaimed', 'merged'] as const),
]
const RETURNED: PointsReason[] = ['pack_refund', 'order_refund']
const SPENT: PointsReason[] = ['pack_purchase', 'order_payment']
/** Weeks after joining that the table of teams has. */
const TEAM_WEEKS = [1, 4, 8, 12]
/** Minutes before and after a kick-off, and of a cell. */
const [BEFORE, AFTER, CELL] = [120, 150, 5]

/** From the first day of a period to today. */
export interface Period {
  first: number
  last: number
}

const amountOf = ({ tables }: Reader) => sql`sum(${tables.seasonCounts.amount})`.mapWith(Number)

/** Sums of a kind by bucket and name, of what was counted and what a demonstration states. */
function readSums(reader: Reader, of: string, condition: SQL | undefined) {
  const { kind, bucket, name } = reader.tables.seasonCounts
  return reader
    .select({ bucket, name, amount: amountOf(reader) })
    .from(reader.tables.seasonCounts)
    .where(and(eq(kind, of), condition))
    .groupBy(bucket, name)
}

/** Steps of the fans who joined in the period, and how many of each week of joining were active in the weeks after. */
export async function readCohorts(reader: Reader, segment: string, { first, last }: Period) {
  const { seasonCounts: counts } = reader.tables
  const [from, to] = [weekOf(first), weekOf(last)]
  const sums = await readSums(reader, `cohort:${segment}`, between(counts.bucket, from, to))
  const amounts = new Map(sums.map(({ bucket, name, amount }) => [`${bucket} ${name}`, amount]))
  const at = (week: number, name: string) => amounts.get(`${week} ${name}`) ?? 0
  const weeks = Array.from({ length: to - from + 1 }, (_, nth) => from + nth)
  return {
    funnel: STEPS.map((step, nth) => ({
      step,
      fans: weeks.reduce((sum, week) => sum + at(week, `step:${nth}`), 0),
    })),
    weeks: weeks
      .filter(week => at(week, 'step:0') > 0)
      .map(week => ({
        week: mondayOf(week).toISOString().slice(0, 10),
        fans: at(week, 'step:0'),
        active: Array.from({ length: Math.min(WEEKS, to - week + 1) }, (_, nth) => at(week, `week:${nth}`)),
      })),
  }
}

/** Of the name of a count such as `week:12`. */
const weekNumberOf = (name: Column) => sql`cast(substr(${name}, 6) as integer)`

/** Of each team, the fans of the period who were active some weeks after they joined. Only weeks that are over count. */
export async function readTeams(reader: Reader, { first, last }: Period) {
  const { seasonCounts: counts } = reader.tables
  const { kind, bucket, name } = counts
  const to = weekOf(last)
  const kinds = (await readSegments(reader, 'team')).map(({ id }) => `cohort:team:${id}`)
  if (kinds.length === 0) return []
  const isOfPeriod = and(inArray(kind, kinds), between(bucket, weekOf(first), to))
  const joined = await reader
    .select({ kind, bucket, amount: amountOf(reader) })
    .from(counts)
    .where(and(isOfPeriod, eq(name, 'step:0')))
    .groupBy(kind, bucket)
  const names = TEAM_WEEKS.map(week => `week:${week}`)
  const active = await reader
    .select({ kind, name, amount: amountOf(reader) })
    .from(counts)
    .where(and(isOfPeriod, inArray(name, names), lte(bucket, sql`${to - 1} - ${weekNumberOf(name)}`)))
    .groupBy(kind, name)
  const fans = new Map(active.map(row => [`${row.kind} ${row.name}`, row.amount]))
  const sumUntil = (own: typeof joined, until: number) =>
    own.reduce((sum, row) => sum + (row.bucket <= until ? row.amount : 0), 0)
  return [...Map.groupBy(joined, row => row.kind)].map(([of, own]) => ({
    id: of.slice('cohort:team:'.length),
    fans: sumUntil(own, to),
    active: TEAM_WEEKS.map(week => ({
      week,
      fans: fans.get(`${of} week:${week}`) ?? 0,
      of: sumUntil(own, to - week - 1),
    })),
  }))
}

/** The countries with fans, those with most first. */
export const readCountries = async (reader: Reader): Promise<string[]> =>
  (await readSegments(reader, 'country'))
    .filter(({ fans }) => fans > 0)
    .toSorted((a, b) => b.fans - a.fans)
    .map(({ id }) => id)

/** The teams or countries of fans, and how many fans have each now. */
async function readSegments(reader: Reader, of: 'team' | 'country') {
  const { name } = reader.tables.seasonCounts
  const isOf = and(gte(name, `${of}:`), lt(name, `${of};`))
  const sums = await readSums(reader, 'segment', and(isEver(reader), isOf))
  return sums.map(row => ({ id: row.name.slice(of.length + 1), fans: row.amount }))
}

const isEver = ({ tables: { seasonCounts: counts } }: Reader) => eq(counts.bucket, EVER)

/** Points by day, and what fans had at the end of each. */
export async function readPoints(reader: Reader, { first, last }: Period) {
  const { seasonCounts: counts } = reader.tables
  const { kind, bucket, name } = counts
  const isPoints = inArray(kind, ['points.in', 'points.out'])
  const before = await reader
    .select({ kind, amount: amountOf(reader) })
    .from(counts)
    .where(and(isPoints, lt(bucket, first)))
    .groupBy(kind)
  const sumOf = (condition: SQL | undefined) =>
    sql`coalesce(sum(case when ${condition} then ${counts.amount} end), 0)`.mapWith(Number)
  const sums = await reader
    .select({
      kind,
      bucket,
      amount: amountOf(reader),
      moved: sumOf(inArray(name, MOVED)),
      returned: sumOf(inArray(name, RETURNED)),
      spent: sumOf(inArray(name, SPENT)),
    })
    .from(counts)
    .where(and(isPoints, gte(bucket, first)))
    .groupBy(kind, bucket)
  const signed = (row: { kind: string; amount: number }) =>
    row.kind === 'points.in' ? row.amount : -row.amount
  let has = before.reduce((sum, row) => sum + signed(row), 0)
  const none = { amount: 0, moved: 0, returned: 0, spent: 0 }
  const rows = new Map(sums.map(row => [`${row.kind} ${row.bucket}`, row]))
  const days = Array.from({ length: last - first + 1 }, (_, nth) => {
    const into = rows.get(`points.in ${first + nth}`) ?? none
    const out = rows.get(`points.out ${first + nth}`) ?? none
    has += into.amount - out.amount
    return {
      issued: into.amount - into.moved - into.returned,
      spent: Math.max(0, out.spent - into.returned),
      ended: out.amount - out.moved - out.spent,
      outstanding: has,
    }
  })
  return {
    issued: days.map(day => day.issued),
    spent: days.map(day => day.spent),
    ended: days.map(day => day.ended),
    outstanding: days.map(day => day.outstanding),
  }
}

/** How many fans have which balance, and the number of all fans. */
export async function readBalances(reader: Reader) {
  const { seasonCounts: counts } = reader.tables
  const { bucket } = counts
  const sums = await reader
    .select({ bucket, amount: amountOf(reader) })
    .from(counts)
    .where(eq(counts.kind, 'balance'))
    .groupBy(bucket)
    .orderBy(asc(bucket))
  const [all] = await readSums(reader, 'segment', and(isEver(reader), eq(counts.name, 'all')))
  return {
    balances: sums
      .map(({ bucket, amount }) => ({ points: bucket, fans: amount }))
      .filter(({ fans }) => fans > 0),
    fans: all?.amount ?? 0,
  }
}

/** What all fans did around kick-offs, in cells of five minutes. */
export async function readMinutes(reader: Reader, kickoffs: Date[]) {
  const { kind, bucket } = reader.tables.seasonCounts
  const kinds = ['minute.checkIns', 'minute.predictions', 'minute.packs']
  return Promise.all(
    kickoffs.map(async at => {
      const from = Math.floor(at.getTime() / 60_000) - BEFORE
      // Without parameters: PostgreSQL compares it with that of GROUP BY. The same for all kick-offs of full five minutes.
      const cell = sql`${bucket} - (${bucket} - ${sql.raw(String(from % CELL))}) % ${sql.raw(String(CELL))}`
      const sums = await reader
        .select({ kind, start: cell.mapWith(Number), amount: amountOf(reader) })
        .from(reader.tables.seasonCounts)
        .where(and(inArray(kind, kinds), between(bucket, from, from + BEFORE + AFTER - 1)))
        .groupBy(kind, cell)
      const cells = (of: string) => {
        const list: number[] = Array.from({ length: (BEFORE + AFTER) / CELL }, () => 0)
        for (const row of sums) if (row.kind === of) list[(row.start - from) / CELL] = row.amount
        return list
      }
      return {
        checkIns: cells('minute.checkIns'),
        predictions: cells('minute.predictions'),
        packs: cells('minute.packs'),
      }
    }),
  )
}

export interface Figures {
  times: number
  points: number
  redeemed: number
  fans: number
  repeats: number
  sums: { currency: string; amount: number }[]
}

/** What is counted by week of each kind of results. Of each fan once are `fans` and `repeats`. */
const MEASURES = {
  rule: ['times', 'points'],
  quest: ['times', 'points'],
  reward: ['times', 'redeemed'],
  pack: ['times', 'sum'],
  product: ['times', 'sum'],
  sponsor: ['times', 'points', 'sum'],
} as const
export type ResultKind = keyof typeof MEASURES

/** What came of rules, quests, rewards, packs, products and sponsors: in the period, and of fans ever. `KIND ID` leads to the figures. */
export async function readFigures(reader: Reader, { first, last }: Period): Promise<Map<string, Figures>> {
  const { kind, bucket, name } = reader.tables.seasonCounts
  const kinds = Object.entries(MEASURES)
  const isOfPeriod = and(
    inArray(
      kind,
      kinds.flatMap(([result, measures]) => measures.map(measure => `${result}.${measure}`)),
    ),
    // With the plus, SQLite reads the index of names in its order: by the key of the table, it would sort all rows.
    between(sql`+${bucket}`, weekOf(first), weekOf(last)),
  )
  const isEver = and(
    inArray(
      kind,
      kinds.flatMap(([result]) => [`${result}.fans`, `${result}.repeats`]),
    ),
    eq(bucket, EVER),
  )
  const figures = new Map<string, Figures>()
  for (const condition of [isOfPeriod, isEver]) {
    const rows = await reader
      .select({ kind, name, amount: amountOf(reader) })
      .from(reader.tables.seasonCounts)
      .where(condition)
      .groupBy(kind, name)
    for (const row of rows) {
      const [result = '', measure = ''] = row.kind.split('.')
      // A sum has its currency before the id.
      const id = row.name.slice(measure === 'sum' ? row.name.indexOf(' ') + 1 : 0)
      const one = figures.getOrInsertComputed(`${result} ${id}`, () => ({ ...NO_FIGURES, sums: [] }))
      if (measure === 'sum')
        one.sums.push({ currency: row.name.slice(0, row.name.indexOf(' ')), amount: row.amount })
      else if (isMeasure(measure)) one[measure] = row.amount
    }
  }
  return figures
}

export const NO_FIGURES: Figures = { times: 0, points: 0, redeemed: 0, fans: 0, repeats: 0, sums: [] }

const isMeasure = (text: string): text is Exclude<keyof Figures, 'sums'> =>
  text !== 'sums' && text in NO_FIGURES

/** What fans did with what each sponsor supports, by action and day. */
export async function readSponsorDays(reader: Reader, { first, last }: Period) {
  const { bucket } = reader.tables.seasonCounts
  const sums = await readSums(reader, 'sponsor.day', between(bucket, first, last))
  const sponsors = new Map<string, Map<string, number[]>>()
  for (const { bucket: day, name, amount } of sums) {
    const [id = '', action = ''] = name.split(' ')
    const days = sponsors
      .getOrInsertComputed(id, () => new Map())
      .getOrInsertComputed(action, () => Array.from({ length: last - first + 1 }, () => 0))
    days[day - first] = amount
  }
  return sponsors
}

/** The claims of each reward that stand, ever. */
export async function readClaims(reader: Reader): Promise<Map<string, number>> {
  const { kind, name } = reader.tables.seasonCounts
  const rows = await reader
    .select({ kind, name, amount: amountOf(reader) })
    .from(reader.tables.seasonCounts)
    .where(and(inArray(kind, ['reward.given', 'reward.undone']), isEver(reader)))
    .groupBy(kind, name)
  const claims = new Map<string, number>()
  for (const row of rows) {
    const signed = row.kind === 'reward.given' ? row.amount : -row.amount
    claims.set(row.name, (claims.get(row.name) ?? 0) + signed)
  }
  return claims
}

/** Events for webhooks, by endpoint and day. */
export async function readDeliveryDays(
  reader: Reader,
  { first, last }: Period,
): Promise<Map<string, number[]>> {
  const { seasonCounts: counts } = reader.tables
  const sums = await readSums(reader, 'deliveries', gte(counts.bucket, first))
  return new Map(
    [...Map.groupBy(sums, row => row.name)].map(([id, rows]) => {
      const byDay = new Map(rows.map(row => [row.bucket, row.amount]))
      return [id, Array.from({ length: last - first + 1 }, (_, nth) => byDay.get(first + nth) ?? 0)]
    }),
  )
}

/** The days from the first one to today. */
export function periodOf(now: Date, days: number): Period {
  const last = dayNumber(now)
  return { first: last - days + 1, last }
}
