/** What fans predict for a match, and what a result would do with their predictions. Both count the stored rows. */
import { count, eq, inArray, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { countJokers } from './jokers.ts'
import { crowdBonus, hitsOf, outcomeOf, pointsFor, pointsOfMatch, type Scores } from './score.ts'
import { findSplit } from './split.ts'

/** Scores that are listed by name. */
const LISTED_SCORES = 5

interface PredictionSplit {
  predictions: number
  home: number
  draw: number
  away: number
  /** Those with a joker. */
  jokers: number
  /** The scores that most fans predict, most first. */
  scores: (Scores & { predictions: number })[]
}

export async function readPredictionSplit(reader: Reader, matchId: string): Promise<PredictionSplit> {
  const { predictions } = reader.tables
  const { homeScore, awayScore } = predictions
  const groups = await reader
    .select({ homeScore, awayScore, predictions: count(), jokers: countJokers(reader) })
    .from(predictions)
    .where(eq(predictions.matchId, matchId))
    .groupBy(homeScore, awayScore)
  const sumOf = (sign: number) =>
    groups
      .filter(one => Math.sign(one.homeScore - one.awayScore) === sign)
      .reduce((sum, one) => sum + one.predictions, 0)
  const [home, draw, away] = [sumOf(1), sumOf(0), sumOf(-1)]
  const scores = groups
    .toSorted(
      (a, b) => b.predictions - a.predictions || a.homeScore - b.homeScore || a.awayScore - b.awayScore,
    )
    .slice(0, LISTED_SCORES)
  const jokers = groups.reduce((sum, one) => sum + one.jokers, 0)
  return {
    predictions: home + draw + away,
    home,
    draw,
    away,
    jokers,
    scores: scores.map(({ jokers: _, ...score }) => score),
  }
}

/** Predictions by match. A match without predictions has no entry. */
export async function countPredictions(reader: Reader, matchIds: string[]): Promise<Map<string, number>> {
  const { matchId } = reader.tables.predictions
  const rows = await reader
    .select({ matchId, fans: count() })
    .from(reader.tables.predictions)
    .where(inArray(matchId, matchIds))
    .groupBy(matchId)
  return new Map(rows.map(row => [row.matchId, row.fans]))
}

export interface SettlementForecast {
  predictions: number
  /** Predictions with the best hit of this kind. */
  exact: number
  difference: number
  outcome: number
  missed: number
  /** Made after the kick-off that the result states: they do not count. */
  late: number
  /** Points that fans would get, in addition to those that they have for the match. */
  grants: number
  /** Points that would be taken back, if fans have not spent them. */
  takesBack: number
}

/** What `settleBatch` would do with this result, by the same comparison. */
export async function forecastSettlement(
  reader: Reader,
  matchId: string,
  { kickoffAt, ...result }: Scores & { kickoffAt: Date },
): Promise<SettlementForecast> {
  const { predictions } = reader.tables
  const { homeScore, awayScore, booked, changedAt } = predictions
  const joker = sql`case when ${predictions.jokerRound} is null then 0 else 1 end`.mapWith(Number)
  const isInTime = sql`case when ${changedAt} < ${sql.param(kickoffAt, changedAt)} then 1 else 0 end`
  const groups = await reader
    .select({
      homeScore,
      awayScore,
      booked,
      joker,
      fans: count(),
      inTime: sql`sum(${isInTime})`.mapWith(Number),
    })
    .from(predictions)
    .where(eq(predictions.matchId, matchId))
    .groupBy(homeScore, awayScore, booked, joker)
  const points = await pointsOfMatch(reader, matchId)
  const split = await findSplit(reader, matchId)
  const forecast: SettlementForecast = {
    predictions: 0,
    exact: 0,
    difference: 0,
    outcome: 0,
    missed: 0,
    late: 0,
    grants: 0,
    takesBack: 0,
  }
  for (const { fans, booked, inTime, joker, ...predicted } of groups) {
    const hits = hitsOf(predicted, result)
    const best = hits.exact ? 'exact' : hits.difference ? 'difference' : hits.outcome ? 'outcome' : 'missed'
    const late = fans - inTime
    forecast.predictions += fans
    forecast[best] += inTime
    forecast.late += late
    const bonus = split ? crowdBonus(split, outcomeOf(predicted), points.outcome) : 0
    const change = pointsFor(hits, points, bonus) * (joker ? 2 : 1) - booked
    forecast[change > 0 ? 'grants' : 'takesBack'] += inTime * Math.abs(change)
    forecast.takesBack += late * booked
  }
  return forecast
}
