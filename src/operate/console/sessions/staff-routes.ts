/** Who of the staff is signed in, for owners. */

import { action, withActions } from '../contract/action.ts'
import { consoleOperation } from '../contract/operation.ts'
import { staff } from '../contract/staff.ts'
import type { ConsoleDeps } from '../deps.ts'
import { thrownBy } from './problems.generated.ts'
import { EndedSessions, StaffMember, StaffSessionParams, StaffSessions, WithReason } from './schema.ts'
import { endSessionsOf, endStaffSession, listSessions } from './staff-sessions.ts'

const ends = [
  action({
    path: '/sessions/:sessionId/end',
    id: 'endStaffSession',
    summary: 'End a session of a person of the staff, with what they have asked for',
    permission: 'staff.write',
    params: StaffSessionParams,
    body: WithReason,
    subject: ({ params: { sessionId } }) => ({ kind: 'session', id: sessionId }),
    verb: (tx, { params: { sessionId }, staff }) => endStaffSession(tx, sessionId, staff),
    detail: result => result,
    answer: EndedSessions,
    respond: () => ({ ended: 1 }),
    problems: thrownBy.endStaffSession,
    example: { reason: 'A lost laptop.' },
  }),
  action({
    path: '/end-sessions',
    id: 'endSessionsOfStaff',
    summary: 'End all sessions, unused links and open requests of a person',
    permission: 'staff.write',
    body: StaffMember,
    subject: ({ body: { staffId } }) => ({ kind: 'staff', id: staffId }),
    verb: (tx, { body: { staffId }, staff }) => endSessionsOf(tx, staffId, staff),
    detail: result => result,
    answer: EndedSessions,
    respond: ({ ended }) => ({ ended }),
    example: { staffId: 'link:adalovelace', reason: 'Left the club.' },
  }),
]

export const staffRoutes = (deps: ConsoleDeps) =>
  withActions(
    staff(deps, { prefix: '/api/staff', tag: 'Staff' }).get(
      '/sessions',
      async () => ({ sessions: await listSessions(deps.db.read) }),
      consoleOperation({
        id: 'listStaffSessions',
        summary: 'List the sessions of staff that have not ended',
        permission: 'staff.write',
        responses: { 200: StaffSessions },
      }),
    ),
    ends,
  )
