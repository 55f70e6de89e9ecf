/** The match days of a seeded fan: predictions, check-ins and results, as the verbs write them. */
import type { MatchRow } from '../../src/club/matches/matches.ts'
import { predictionRefOf } from '../../src/economy/ledgers/reasons.ts'
import type { PredictionRow } from '../../src/play/predictions/predictions.ts'
import type { Scores } from '../../src/play/predictions/score.ts'
import { eventIdOf, settledData } from '../../src/play/predictions/settle-batch.ts'
import { targetOf } from '../../src/play/predictions/target.ts'
import type { Recorder, VisitRecorder } from './event-rows.ts'
import type { Ledger } from './ledger-rows.ts'
import { drawMatchDays, type PlayedMatch, type Round } from './match-days.ts'
import type { MatchRows } from './rows.ts'
import type { SeedSources } from './sources.ts'

export interface MatchFan {
  userId: string
  teamId: string
  points: Ledger
  record: Recorder
  recordVisit: VisitRecorder
  sources: SeedSources
}

export function addMatchDays(rows: MatchRows, fan: MatchFan, rounds: Round[]): void {
  const predictions = new Map<string, PredictionRow>()
  for (const action of drawMatchDays(fan.sources, fan.teamId, rounds)) {
    if (action.kind === 'visit') {
      fan.recordVisit(action.visit)
      continue
    }
    const { match } = action
    rows.matchRevisions.set(match.id, match.revision)
    if (action.kind === 'predict') predictions.set(match.id, predict(fan, match, action.scores))
    else if (action.kind === 'check in') checkIn(rows, fan, match)
    else settle(fan, predictions.get(match.id), action)
  }
  rows.predictions.push(...predictions.values())
}

const predict = ({ userId, sources }: MatchFan, { id: matchId }: MatchRow, scores: Scores) =>
  predictionOf({ userId, matchId, at: sources.now() }, scores)

/** A prediction that is not settled. */
export const predictionOf = (
  { userId, matchId, at }: { userId: string; matchId: string; at: Date },
  scores: Scores,
): PredictionRow => ({
  matchId,
  userId,
  ...scores,
  createdAt: at,
  changedAt: at,
  state: 'open',
  revision: null,
  settledBy: null,
  settledAt: null,
  outcome: null,
  difference: null,
  exact: null,
  points: 0,
  booked: 0,
  competition: null,
  jokerSeason: null,
  jokerRound: null,
})

function checkIn(rows: MatchRows, { userId, record, sources }: MatchFan, match: MatchRow): void {
  const { id: matchId, competition, season, round, homeTeamId, awayTeamId, venue } = match
  rows.checkIns.push({ userId, matchId, checkedInAt: sources.now() })
  record('match.checked_in', { matchId, competition, season, round, homeTeamId, awayTeamId, venue })
}

function settle(
  { points, record, sources }: MatchFan,
  row: PredictionRow | undefined,
  { settlement }: PlayedMatch,
): void {
  if (!row) return
  const { revision } = settlement
  const target = targetOf(row, settlement, null)
  const data = settledData(row, target, { ...settlement, split: null })
  const book = () => {
    if (target.points > 0)
      points.book({ delta: target.points, reason: 'prediction', ref: predictionRefOf(settlement) })
  }
  const settled = data ? { settledBy: revision, settledAt: sources.now() } : {}
  Object.assign(row, target, { revision, booked: target.points, ...settled })
  if (data) record('prediction.settled', data, eventIdOf(row, revision), book)
  else book()
}
