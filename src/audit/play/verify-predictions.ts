/** Scores predictions again, and compares their points with the ledger, whose entries nobody can change. */
import { and, eq, getTableColumns, lt, type SQL, sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { resultOf } from '../../club/matches/settlements.ts'
import { differs, type Finding, readJson, type Value } from '../../core/finding.ts'
import type { DataOf } from '../../economy/events/types.ts'
import { predictionRefOf } from '../../economy/ledgers/reasons.ts'
import { hasJoker } from '../../play/predictions/jokers.ts'
import { eventIdOf } from '../../play/predictions/settle-batch.ts'
import { targetOf } from '../../play/predictions/target.ts'
import { compareBooked, readTold, slugOf } from './booked-points.ts'

/** As `compareBooked`. */
export async function findWrongPredictions(reader: Reader, range: Range): Promise<Finding[]> {
  const { predictions } = reader.tables
  const { wrong, stray } = await compareBooked(reader, range, {
    rows: predictions,
    slug: predictions.matchId,
    reasons: ['prediction', 'prediction_void'],
  })
  return [
    ...wrong.map(({ userId, slug, booked, sum }) => {
      return { userId, what: `predictions.booked of ${slug}`, expected: sum, actual: booked }
    }),
    ...[...Map.groupBy(stray, ({ userId, ref }) => `${userId} ${slugOf(ref)}`).values()]
      // A merge moves a prediction whose points a reopened match has taken back.
      .filter(own => own.reduce((sum, { delta }) => sum + delta, 0) !== 0)
      .flat()
      .map(({ userId, ref, seq }) => {
        return { userId, what: 'predictions.row', seq, expected: slugOf(ref), actual: null }
      }),
  ]
}

/** Needs a snapshot: a settlement is written with its match, and its predictions follow in batches. */
export const findWrongScores = async (reader: Reader, range: Range): Promise<Finding[]> => [
  ...(await findWrongResults(reader, range)),
  ...(await findWrongSeasons(reader, range)),
]

async function findWrongResults(reader: Reader, range: Range): Promise<Finding[]> {
  const { predictions, predictionSplits: splits, matchSettlements: settlements } = reader.tables
  const rows = await reader
    .select({ prediction: predictions, settlement: settlements, split: splits })
    .from(predictions)
    .leftJoin(settlements, eq(settlements.matchId, predictions.matchId))
    .leftJoin(splits, eq(splits.matchId, predictions.matchId))
    .where(inRange(predictions.userId, range))
  const ids = rows.flatMap(({ prediction }) =>
    prediction.settledBy === null ? [] : eventIdOf(prediction, prediction.settledBy),
  )
  const told = await readTold(reader, ids)
  return rows.flatMap(({ prediction, settlement, split }) => {
    const { userId, matchId, revision, settledBy } = prediction
    const found = (column: string, expected: Value, actual: Value) =>
      differs(userId, `predictions.${column} of ${matchId}`, expected, actual)
    const findings: Finding[] = []
    if (!settlement)
      findings.push(...found('revision', null, revision), ...found('state', 'open', prediction.state))
    if (prediction.state !== 'settled')
      for (const column of ['outcome', 'difference', 'exact', 'settledAt', 'settledBy'] as const)
        findings.push(...found(toSnakeCase(column), null, prediction[column]))
    if (settlement?.action === 'settle' && settlement.dueAt === null && revision === null)
      findings.push(...found('revision', settlement.revision, null))
    // A prediction that could not be booked is tried again, and has no revision until then.
    if (settlement && revision !== null && (settlement.dueAt === null || revision === settlement.revision)) {
      const target = targetOf(prediction, settlement, split)
      findings.push(...found('revision', settlement.revision, revision))
      for (const column of ['state', 'points', 'outcome', 'difference', 'exact'] as const)
        findings.push(...found(column, target[column], prediction[column]))
    }
    if (settledBy === null)
      return [...findings, ...found('settled_by', prediction.state === 'settled' ? 'set' : null, null)]
    const event = told.get(eventIdOf(prediction, settledBy))
    if (!event) return [...findings, ...found('settled_by', 'a revision with an event', settledBy)]
    // Guarantee of the cast: the application writes the data by its schema.
    const data = readJson(event.data) as DataOf<'prediction.settled'> | null | undefined
    return [
      ...findings,
      ...found('settled_at', event.occurredAt, prediction.settledAt),
      ...(data
        ? [
            ...found('home_score', data.predicted.homeScore, prediction.homeScore),
            ...found('away_score', data.predicted.awayScore, prediction.awayScore),
            ...found('points', data.points, prediction.points),
            ...found('joker', data.joker ?? false, hasJoker(prediction)),
          ]
        : []),
    ]
  })
}

/** The entries of a match must name the season that its first batch fixed. */
async function findWrongSeasons(reader: Reader, range: Range): Promise<Finding[]> {
  const { pointsEntries: entries, matchSettlements: settlements } = reader.tables
  const booked = await reader
    .select({ userId: entries.userId, ref: entries.ref })
    .from(entries)
    .where(and(inRange(entries.userId, range), eq(entries.reason, 'prediction')))
  if (booked.length === 0) return []
  const rows = await reader
    .select({ matchId: settlements.matchId, season: settlements.season })
    .from(settlements)
  const seasons = new Map(rows.map(({ matchId, season }) => [matchId, season]))
  return booked.flatMap(({ userId, ref }) => {
    const [matchId = '', revision] = ref.split(':')
    const season = seasons.get(matchId)
    if (season === undefined) return differs(userId, `match_settlements.row of ${matchId}`, matchId, null)
    return differs(
      userId,
      `match_settlements.season of ${matchId}`,
      ref,
      predictionRefOf({ matchId, revision: Number(revision), season }),
    )
  })
}

/** The last settlement of a match must fit its current state. */
export async function findWrongSettlements(reader: Reader): Promise<Finding[]> {
  const { matches, matchSettlements: settlements } = reader.tables
  const rows = await reader
    .select({ match: matches, settlement: settlements })
    .from(settlements)
    .innerJoin(matches, eq(matches.id, settlements.matchId))
  return rows.flatMap(({ match, settlement }) => {
    const { matchId, action, kickoffAt, dueAt } = settlement
    const found = (column: string, expected: Value, actual: Value) =>
      differs(null, `match_settlements.${column} of ${matchId}`, expected, actual)
    const result = resultOf(match)
    return [
      ...found('action', result.action, action),
      ...found('home_score', result.homeScore, settlement.homeScore),
      ...found('away_score', result.awayScore, settlement.awayScore),
      ...(action === 'settle' ? found('kickoff_at', result.kickoffAt, kickoffAt) : []),
      ...(dueAt === null
        ? [...found('cursor', '', settlement.cursor), ...found('last_pass', true, settlement.lastPass)]
        : []),
    ]
  })
}

/** Nobody can predict a match that has a split, and no row of one is deleted. */
export async function findWrongSplits(reader: Reader): Promise<Finding[]> {
  const { predictions, predictionSplits: splits } = reader.tables
  const { homeScore, awayScore } = predictions
  const countIf = (condition: SQL) => sql`count(case when ${condition} then 1 end)`.mapWith(Number)
  const isCounted = and(eq(predictions.matchId, splits.matchId), lt(predictions.changedAt, splits.kickoffAt))
  const rows = await reader
    .select({
      split: splits,
      home: countIf(sql`${homeScore} > ${awayScore}`),
      draw: countIf(sql`${homeScore} = ${awayScore}`),
      away: countIf(sql`${homeScore} < ${awayScore}`),
    })
    .from(splits)
    .leftJoin(predictions, isCounted)
    .groupBy(...Object.values(getTableColumns(splits)))
  return rows.flatMap(({ split, ...counted }) =>
    (['home', 'draw', 'away'] as const).flatMap(outcome =>
      differs(null, `prediction_splits.${outcome} of ${split.matchId}`, counted[outcome], split[outcome]),
    ),
  )
}
