/**
 * Counts the season again, fan by fan, from everything that is recorded, and compares the sums with those that were kept. What
 * was counted and has lost its data since, by its retention, an erasure or the archive, is compared as a lower bound.
 */
import { idFrom } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import type { Finding } from '../../core/finding.ts'
import { isWithin, parseResults, withBit, withoutBit } from '../../figures/season/fan-bits.ts'
import { readSponsorOf, type SponsorOf } from '../../figures/season/sponsored.ts'
import { ARCHIVED, readCountedUntil } from '../../figures/season/sweep.ts'
import {
  type Count,
  createTally,
  dayNumber,
  EVER,
  type FanRow,
  type NumberOf,
  newFanRow,
  PREDICTED,
  roundBalance,
  weekNumber,
  weekOf,
} from '../../figures/season/tally.ts'
import { readRanges } from '../coverage/ranges.ts'
import { type CountedRecords, readCountedRecords } from './season-records.ts'

/** The events whose data the counts of a kind are made of. */
const SOURCES: Record<string, string> = {
  rule: 'an entry, which only the archive deletes',
  'reward.redeemed': 'reward.redeemed',
  reward: 'reward.claimed',
  quest: 'quest.completed',
  pack: 'purchase.completed',
  product: 'order.paid',
}
/** As `SOURCES`, of several types. The points of a sponsor are those of entries. */
const OF_SPONSORS = [...Object.values(SOURCES), 'match.checked_in', 'question.voted']
/** Counted of rows that are deleted: predictions that fans withdraw, and old deliveries. */
const DELETED = ['minute.predictions', 'deliveries']

export async function findWrongSeason(reader: Reader): Promise<Finding[]> {
  const until = await readCountedUntil(reader)
  if (until === null) return []
  const { seasonCounts, seasonSubjects } = reader.tables
  const subjects = await reader.select().from(seasonSubjects)
  const numbers = new Map(subjects.map(({ kind, name, number }) => [`${kind} ${name}`, number]))
  const numberOf: NumberOf = (kind, name) => numbers.get(`${kind} ${name}`) ?? 0
  const recount = createRecount(until, numberOf, await readSponsorOf(reader))
  const stored = await reader.select().from(seasonCounts)
  for await (const { range } of readRanges(reader))
    for (const records of await readCountedRecords(reader, range, until)) recount.add(records)
  return recount.conclude(stored.filter(({ stated }) => !stated))
}

function createRecount(until: Date, numberOf: NumberOf, sponsorOf: SponsorOf) {
  /** What can be counted today, and what may have been counted when it had its data. */
  const sure = createTally(numberOf, sponsorOf)
  const possible = createTally(numberOf, sponsorOf)
  /** Weeks with events of a type that have lost their data. */
  const blurred = new Set<string>()
  /** The first day of which nothing is archived. */
  let archivedUntil = 0
  let hasVagueFans = false
  const findings: Finding[] = []

  function add({ user, row, events, entries, predictions, seam, isMerged }: CountedRecords): void {
    const fan = newFanRow(user)
    const lost = events.filter(event => event.data === null)
    const isVague = lost.length > 0 || seam !== undefined
    hasVagueFans ||= isVague
    // The first and the second time may be lost: what is left is neither.
    if (isVague && row)
      fan.results = row.results.replaceAll(/\d+\+?/g, number => `${Number.parseInt(number, 10)}+`)
    for (const event of events) if (event.data !== null) sure.addEvent(fan, event)
    for (const entry of entries) sure.addEntry(fan, entry, false)
    for (const { createdAt } of predictions) sure.addPrediction(fan, createdAt)
    const most = { ...fan, steps: withBit(fan.steps, PREDICTED) }
    for (const event of lost) {
      possible.addEvent(most, event)
      blurred.add(`${weekNumber(event.recordedAt)} ${event.type}`)
    }
    if (seam) archivedUntil = Math.max(archivedUntil, dayNumber(seam.until) + 1)
    const balance = entries.at(-1)?.balanceAfter ?? (seam?.seq ? seam.balance : undefined)
    if (balance !== undefined) sure.add('balance', roundBalance(balance), '', 1)
    if (row) sure.addFan(row, 1)
    const isCounted =
      user.id < idFrom(until) || events.length > lost.length || entries.length + predictions.length > 0
    if (!row && isCounted)
      findings.push({ userId: user.id, what: 'season_fans.row', expected: 'present', actual: null })
    // Open predictions move with a merge.
    if (isMerged && row) fan.steps = withoutBit(fan.steps, PREDICTED)
    if (row && !row.stated) findings.push(...compareFan(row, fan, seam ? null : most, isVague))
  }

  function conclude(stored: Count[]): Finding[] {
    const keyOf = ({ kind, bucket, name }: Count) => `${kind} ${bucket}${name === '' ? '' : ` ${name}`}`
    const amounts = new Map(stored.map(count => [keyOf(count), count.amount]))
    const rest = new Map(possible.list().map(count => [keyOf(count), count.amount]))
    const expected = new Map<string, Count>(stored.map(count => [keyOf(count), { ...count, amount: 0 }]))
    for (const count of sure.list()) expected.set(keyOf(count), count)
    const wrong = [...expected].flatMap(([key, count]): Finding[] => {
      const actual = amounts.get(key) ?? 0
      const most = isBound(count) ? Number.POSITIVE_INFINITY : count.amount + (rest.get(key) ?? 0)
      if (count.name === ARCHIVED || (count.amount <= actual && actual <= most)) return []
      return [{ userId: null, what: `season_counts ${key}`, expected: count.amount, actual }]
    })
    return [...findings, ...wrong]
  }

  /** Whether more may have been counted than can be counted again. */
  function isBound({ kind, bucket }: Count): boolean {
    if (kind === 'balance' || kind === 'segment' || kind.startsWith('cohort:')) return false
    if (DELETED.includes(kind) || (hasVagueFans && bucket === EVER)) return true
    const [result = ''] = kind.split('.', 1)
    if (result === 'sponsor') {
      const week = kind === 'sponsor.day' ? weekOf(bucket) : bucket
      return week <= weekOf(archivedUntil) || OF_SPONSORS.some(type => blurred.has(`${week} ${type}`))
    }
    const source = SOURCES[kind] ?? SOURCES[result]
    if (source !== undefined) return bucket <= weekOf(archivedUntil) || blurred.has(`${bucket} ${source}`)
    return (kind.startsWith('minute.') ? Math.floor(bucket / 1_440) : bucket) < archivedUntil
  }

  return { add, conclude }
}

/** `most`: what may have been counted; null: anything. */
function compareFan(row: FanRow, fan: FanRow, most: FanRow | null, isVague: boolean): Finding[] {
  const kept = parseResults(row.results)
  const isMissing = [...parseResults(fan.results).keys()].some(number => !kept.has(number))
  const isBetween = (name: 'steps' | 'weeks') =>
    isWithin(fan[name], row[name]) && (most === null || isWithin(row[name], most[name]))
  const wrong: [keyof FanRow, boolean][] = [
    ['week', row.week !== fan.week],
    ['steps', !isBetween('steps')],
    ['weeks', !isBetween('weeks')],
    ['results', isVague ? isMissing : row.results !== fan.results],
  ]
  return wrong.flatMap(([name, isWrong]): Finding[] =>
    isWrong
      ? [
          {
            userId: row.userId,
            what: `season_fans.${name}`,
            expected: String(fan[name]),
            actual: String(row[name]),
          },
        ]
      : [],
  )
}
