/** The stored rounds of the demonstration season, for the match days of a seed. */
import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import type { MatchRow } from '../../src/club/matches/matches.ts'
import type { Settlement } from '../../src/club/matches/settlements.ts'
import type { Scores } from '../../src/play/predictions/score.ts'
import { DAY_MS, MINUTE_MS } from './calendar.ts'
import { matchIds } from './demo-matches.ts'
import { drawTicket, type Visit } from './draws.ts'
import type { SeedSources } from './sources.ts'

export interface PlayedMatch {
  match: MatchRow
  /** Has settled every prediction. */
  settlement: Settlement
}

export interface Round {
  kickoffAt: Date
  played: PlayedMatch[]
  live: MatchRow[]
  /** Scheduled, without any result. */
  coming: MatchRow[]
}

/** By kick-off, without matches that are postponed or cancelled, or whose result is being settled. */
export async function readRounds(reader: Reader): Promise<Round[]> {
  const { matches, matchSettlements } = reader.tables
  const rows = await reader
    .select({ match: matches, settlement: matchSettlements })
    .from(matches)
    .leftJoin(matchSettlements, eq(matchSettlements.matchId, matches.id))
    .where(and(inArray(matches.id, matchIds), eq(matches.active, true)))
    .orderBy(asc(matches.kickoffAt), asc(matches.id))
  const rounds = Map.groupBy(rows, ({ match }) => match.kickoffAt.getTime())
  return [...rounds].map(([kickoffAt, members]) => ({
    kickoffAt: new Date(kickoffAt),
    played: members.flatMap(({ match, settlement }) =>
      settlement?.action === 'settle' && settlement.dueAt === null ? { match, settlement } : [],
    ),
    live: members.flatMap(({ match }) => (match.status === 'live' ? match : [])),
    coming: members.flatMap(({ match, settlement }) =>
      match.status === 'scheduled' && settlement === null ? match : [],
    ),
  }))
}

export type MatchAction =
  | { kind: 'predict'; match: MatchRow; scores: Scores }
  | { kind: 'visit'; visit: Visit }
  | { kind: 'check in'; match: MatchRow }
  | ({ kind: 'settle' } & PlayedMatch)

/** Fans predict matches from then on. */
const OPEN_MS = 5 * DAY_MS
/** Fans predict until then, and come to the ground afterwards. */
const CLOSE_MS = 100 * MINUTE_MS
/** What begins within this time is predicted already. */
const SOON_MS = 2 * DAY_MS

/**
 * The actions of a fan on the match days of the season, with the results of the predictions; advances the fan's time. Of
 * coming rounds, a fan predicts only those that begin soon.
 */
export function* drawMatchDays(
  sources: SeedSources,
  teamId: string,
  rounds: Round[],
): Generator<MatchAction> {
  const { faker, now, pass, left } = sources
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

  for (const { kickoffAt, played, live } of rounds) {
    const begun = [...played.map(({ match }) => match), ...live]
    const own = begun.find(isOwn)
    const room = kickoffAt.getTime() - now().getTime() - CLOSE_MS
    // Over when the fan came, or a round that the club has moved.
    if (begun.length === 0 || room < 0) continue
    pass(faker.number.int({ min: Math.max(0, room - OPEN_MS), max: room }))
    const predicted = new Set<string>()
    for (const action of predict(begun)) {
      predicted.add(action.match.id)
      yield action
    }
    if (own && likely(0.6)) {
      passUntil(kickoffAt, faker.number.int({ min: 10 * MINUTE_MS, max: 90 * MINUTE_MS }))
      yield { kind: 'visit', visit: drawTicket(sources) }
      pass(faker.number.int({ min: MINUTE_MS, max: 9 * MINUTE_MS }))
      yield { kind: 'check in', match: own }
    }
    for (const { match, settlement } of played) {
      if (!predicted.has(match.id)) continue
      passUntil(settlement.revisedAt)
      yield { kind: 'settle', match, settlement }
    }
  }
  const from = now().getTime()
  const next = rounds.filter(
    ({ kickoffAt, coming }) =>
      coming.length > 0 && from < kickoffAt.getTime() && left() + SOON_MS > kickoffAt.getTime() - from,
  )
  pass(faker.number.int({ max: 2 * MINUTE_MS }))
  for (const { coming } of next) yield* predict(coming)
}
