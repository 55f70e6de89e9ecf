/** The stored rounds of the demonstration season, for the match days of a seed. */
import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import type { MatchRow } from '../../src/club/matches/matches.ts'
import type { Settlement } from '../../src/club/matches/settlements.ts'
import type { Scores } from '../../src/play/predictions/score.ts'
import { matches as demoMatches } from './demo-matches.ts'
import type { SeedSources } from './sources.ts'

export interface PlayedMatch {
  match: MatchRow
  /** Has settled every prediction. */
  settlement: Settlement
}

export interface Round {
  kickoffAt: Date
  played: PlayedMatch[]
  /** Scheduled, without any result. */
  coming: MatchRow[]
}

/** By kick-off, without matches that are postponed or cancelled, or whose result is being settled. */
export async function readRounds(reader: Reader): Promise<Round[]> {
  const { matches, matchSettlements } = reader.tables
  const ids = demoMatches.map(({ id }) => id)
  const rows = await reader
    .select({ match: matches, settlement: matchSettlements })
    .from(matches)
    .leftJoin(matchSettlements, eq(matchSettlements.matchId, matches.id))
    .where(and(inArray(matches.id, ids), eq(matches.active, true)))
    .orderBy(asc(matches.kickoffAt), asc(matches.id))
  const rounds = Map.groupBy(rows, ({ match }) => match.kickoffAt.getTime())
  return [...rounds].map(([kickoffAt, members]) => ({
    kickoffAt: new Date(kickoffAt),
    played: members.flatMap(({ match, settlement }) =>
      settlement?.action === 'settle' && settlement.dueAt === null ? { match, settlement } : [],
    ),
    coming: members.flatMap(({ match, settlement }) =>
      match.status === 'scheduled' && settlement === null ? match : [],
    ),
  }))
}

export type MatchAction =
  | { kind: 'predict'; match: MatchRow; scores: Scores }
  | { kind: 'check in'; match: MatchRow }
  | ({ kind: 'settle' } & PlayedMatch)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/**
 * The actions of a fan on the match days of the season, with the results of the predictions; advances the fan's time. Of
 * coming rounds, a fan predicts only the next one.
 */
export function* drawMatchDays(
  { faker, now, pass }: SeedSources,
  teamId: string,
  rounds: Round[],
): Generator<MatchAction> {
  const passUntil = (at: Date, before = 0) => pass(Math.max(0, at.getTime() - before - now().getTime()))
  const isOwn = ({ homeTeamId, awayTeamId }: MatchRow) => homeTeamId === teamId || awayTeamId === teamId
  const likely = (probability: number) => faker.datatype.boolean({ probability })

  function* predict(matches: MatchRow[]): Generator<MatchAction & { kind: 'predict' }> {
    for (const match of matches) {
      if (!likely(isOwn(match) ? 0.8 : 0.15)) continue
      const scores = { homeScore: faker.number.int({ max: 3 }), awayScore: faker.number.int({ max: 2 }) }
      yield { kind: 'predict', match, scores }
    }
  }

  for (const { kickoffAt, played } of rounds) {
    const own = played.find(({ match }) => isOwn(match))
    // A round that the club has moved to the past of this fan.
    if (played.length === 0 || kickoffAt.getTime() - 5 * DAY_MS < now().getTime()) continue
    passUntil(kickoffAt, faker.number.int({ min: 4 * HOUR_MS, max: 5 * DAY_MS }))
    const predicted = new Set<string>()
    for (const action of predict(played.map(({ match }) => match))) {
      predicted.add(action.match.id)
      yield action
    }
    if (own && likely(0.6)) {
      passUntil(kickoffAt, faker.number.int({ min: 5 * MINUTE_MS, max: 150 * MINUTE_MS }))
      yield { kind: 'check in', match: own.match }
    }
    for (const { match, settlement } of played) {
      if (!predicted.has(match.id)) continue
      passUntil(settlement.revisedAt)
      yield { kind: 'settle', match, settlement }
    }
  }
  const next = rounds.find(({ played, coming }) => played.length === 0 && coming.length > 0)
  pass(faker.number.int({ min: HOUR_MS, max: 13 * DAY_MS }))
  if (next && now() < next.kickoffAt) yield* predict(next.coming)
}
