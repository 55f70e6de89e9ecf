import { Elysia } from 'elysia'
import { MatchParams } from '../../club/matches/schema.ts'
import { logSecurityEvent } from '../../core/security-events.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { type ServerDeps, servers } from '../../identity/server-keys/group.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { requestIdOf } from '../../platform/http/edge/request-log.ts'
import { checkIn, readCheckInCode } from './check-in.ts'
import type { CheckInCodes } from './code.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

type CheckInDeps = FanDeps & ServerDeps & { checkInCodes: CheckInCodes }

const serverRoutes = (deps: CheckInDeps) =>
  servers(deps, { prefix: '/api/matches', tag: 'Server', scope: 'matches:write' }).get(
    '/:matchId/check-in-code',
    ({ params }) => readCheckInCode(deps.db.read, deps.checkInCodes, params.matchId),
    operation({
      id: 'readCheckInCode',
      summary: 'Read the code at the gate',
      description:
        'The code of the current 30 seconds. It works for at most 60 seconds, for any fan. The page `/check-in/{matchId}` shows it as a QR code.',
      params: MatchParams,
      responses: { 200: schema.CheckInCode },
      problems: thrownBy.readCheckInCode,
      examples: { 200: schema.exampleCode },
    }),
  )

const fanRoutes = (deps: CheckInDeps) =>
  fans(deps, { prefix: '/api/check-ins', tag: 'Matches' }).post(
    '',
    ({ body, set, status, write }) =>
      write(async (tx, fan) => {
        const done = await checkIn(tx, fan, body, deps.checkInCodes)
        const members = { requestId: requestIdOf(set), userId: done.userId }
        if (done.isElsewhere)
          tx.afterCommit(() => logSecurityEvent(deps.log, 'checked_in_at_two_places', members))
        return status(done.created ? 201 : 200, done.checkIn)
      }),
    operation({
      id: 'checkIn',
      summary: 'Check in at a match',
      description:
        'With the code at the gate, from 3 hours before kick-off to 3 hours after it. A repeat returns the first check-in with 200.',
      body: schema.CheckInRequest,
      responses: { 200: schema.CheckIn, 201: schema.CheckIn },
      problems: thrownBy.checkIn,
      examples: {
        body: { code: schema.exampleCode.code },
        200: schema.exampleCheckIn,
        201: schema.exampleCheckIn,
      },
    }),
  )

export const checkInRoutes = (deps: CheckInDeps) =>
  new Elysia({ name: 'matchday/check-in-routes' }).use(serverRoutes(deps)).use(fanRoutes(deps))
