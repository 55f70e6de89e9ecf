/** Match day: matches, live scores, corrections, and the progress of settlements. */

import { listSeasons } from '../../../club/matches/matches.ts'
import { exampleUpdate } from '../../../club/matches/schema.ts'
import { reportGivesValue, reportState, resetRevision } from '../../../club/matches/update-match.ts'
import { parseQueryInstant } from '../../../core/instant.ts'
import { type Cursors, pageOf } from '../../../core/pagination.ts'
import { Nothing } from '../../../platform/http/contract/operation.ts'
import { countCheckIns, countCheckInsByMinute, readCheckInCode } from '../../../play/check-ins/check-in.ts'
import type { CheckInCodes } from '../../../play/check-ins/code.ts'
import { CheckInCode } from '../../../play/check-ins/schema.ts'
import { forecastSettlement, readPredictionSplit } from '../../../play/predictions/forecast.ts'
import { listAllMatches, readMatchDetail, requireStored } from '../../admin/matches/read-matches.ts'
import { action, withActions } from '../contract/action.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

/** Of the chart of check-ins. */
const MINUTES = 30

type MatchDayDeps = StaffDeps & { cursors: Cursors; checkInCodes: CheckInCodes }

export const matchDayRoutes = (deps: MatchDayDeps) => {
  const { db, cursors, config, checkInCodes } = deps
  const publicUrl = config.docs.publicUrl ?? `http://localhost:${config.port}`
  const read = (matchId: string) => readMatchDetail(db.read, publicUrl, matchId)
  const ofMatch = {
    subject: ({ params: { matchId } }: { params: { matchId: string } }) => ({ kind: 'match', id: matchId }),
    permission: 'matches.write',
    params: schema.MatchParams,
    answer: schema.MatchDetail,
    respond: (_: unknown, { params: { matchId } }: { params: { matchId: string } }) => read(matchId),
  } as const
  const changes = [
    action({
      ...ofMatch,
      method: 'PUT',
      path: '/matches/:matchId',
      id: 'reportMatch',
      summary: 'Enter status, scores and kick-off of a match',
      description: 'A result settles the predictions; another result settles them again.',
      onePerson: async ({ body, params, reader }) => !(await reportGivesValue(reader, params.matchId, body)),
      reversible: 'enter the former state with the next revision',
      body: schema.ReportedState,
      verb: (tx, { body, params: { matchId } }) => reportState(tx, matchId, body),
      detail: (_, { body: { revision, status, homeScore, awayScore } }) => ({
        revision,
        status,
        homeScore,
        awayScore,
      }),
      problems: thrownBy.reportMatch,
      example: { ...exampleUpdate, reason: 'The referee has corrected the report.' },
    }),
    action({
      ...ofMatch,
      path: '/matches/:matchId/revision',
      id: 'resetMatchRevision',
      summary: 'Lower the revision of a match, so that later reports are accepted',
      onePerson: 'It gives nothing.',
      body: schema.ResetRevision,
      verb: (tx, { body: { revision }, params: { matchId } }) => resetRevision(tx, matchId, revision),
      detail: ({ before }, { body: { revision } }) => ({ before, revision }),
      problems: thrownBy.resetMatchRevision,
      example: { revision: 4, reason: 'The scoreboard had sent 4000.' },
    }),
  ]
  const group = staff(deps, { prefix: '/api/match-day', tag: 'Match day' })
    .get(
      '/matches',
      ({ query }) => listAllMatches(db.read, cursors, query, pageOf(query)),
      consoleOperation({
        id: 'listConsoleMatches',
        summary: 'List the matches, by kick-off',
        permission: 'matches.read',
        query: schema.MatchesQuery,
        responses: { 200: schema.ListedMatches },
        problems: thrownBy.listConsoleMatches,
      }),
    )
    .get(
      '/seasons',
      async () => ({ seasons: await listSeasons(db.read) }),
      consoleOperation({
        id: 'listSeasons',
        summary: 'List the seasons that have matches',
        permission: 'matches.read',
        query: Nothing,
        responses: { 200: schema.Seasons },
      }),
    )
    .get(
      '/matches/:matchId',
      ({ params }) => read(params.matchId),
      consoleOperation({
        id: 'readConsoleMatch',
        summary: 'Read a match, with the progress of its settlement',
        permission: 'matches.read',
        params: schema.MatchParams,
        responses: { 200: schema.MatchDetail },
        problems: thrownBy.readConsoleMatch,
      }),
    )
    .get(
      '/matches/:matchId/pulse',
      async ({ params: { matchId } }) => {
        await requireStored(db.read, matchId)
        const [split, checkIns, minutes] = await Promise.all([
          readPredictionSplit(db.read, matchId),
          countCheckIns(db.read, matchId),
          countCheckInsByMinute(db.read, matchId, MINUTES),
        ])
        return { ...split, checkIns, minutes }
      },
      consoleOperation({
        id: 'readMatchPulse',
        summary: 'Read what fans predict, and how many check in',
        permission: 'matches.read',
        params: schema.MatchParams,
        responses: { 200: schema.MatchPulse },
        problems: thrownBy.readMatchPulse,
      }),
    )
    .get(
      '/matches/:matchId/forecast',
      async ({ params: { matchId }, query }) => {
        const kickoffAt = parseQueryInstant(query.kickoffAt)
        if (kickoffAt === null) throw new Error('the schema refuses what is no instant')
        await requireStored(db.read, matchId)
        const [homeScore, awayScore] = [Number(query.homeScore), Number(query.awayScore)]
        return forecastSettlement(db.read, matchId, { homeScore, awayScore, kickoffAt })
      },
      consoleOperation({
        id: 'forecastMatch',
        summary: 'Count what a result would do with predictions',
        permission: 'matches.read',
        params: schema.MatchParams,
        query: schema.ForecastQuery,
        responses: { 200: schema.SettlementForecast },
        problems: thrownBy.forecastMatch,
      }),
    )
    .get(
      '/matches/:matchId/check-in-code',
      ({ params }) => readCheckInCode(db.read, checkInCodes, params.matchId),
      consoleOperation({
        id: 'readGateCode',
        summary: 'Read the check-in code, for the gate display of the console',
        permission: 'gate.show',
        params: schema.MatchParams,
        responses: { 200: CheckInCode },
        problems: thrownBy.readGateCode,
      }),
    )
  return withActions(group, changes)
}
