/** Who of the staff is signed in, for owners. */
import { consoleOperation } from '../contract/operation.ts'
import { staff } from '../contract/staff.ts'
import type { ConsoleDeps } from '../deps.ts'
import { consoleProblems } from '../problems.ts'
import { EndedSessions, StaffMember, StaffSessionParams, StaffSessions, WithReason } from './schema.ts'
import { endSessionsOf, endStaffSession, listSessions } from './staff-sessions.ts'

export const staffRoutes = (deps: ConsoleDeps) =>
  staff(deps, { prefix: '/api/staff', tag: 'Staff' })
    .get(
      '/sessions',
      async () => ({ sessions: await listSessions(deps.db.read) }),
      consoleOperation({
        id: 'listStaffSessions',
        summary: 'List the sessions of staff that have not ended',
        permission: 'staff.write',
        responses: { 200: StaffSessions },
      }),
    )
    .post(
      '/sessions/:sessionId/end',
      async ({ act, body: { reason }, params: { sessionId }, staff }) => {
        await act({ kind: 'session', id: sessionId }, reason, tx => endStaffSession(tx, sessionId, staff), {
          detail: result => result,
        })
        return { ended: 1 }
      },
      consoleOperation({
        id: 'endStaffSession',
        summary: 'End a session of a person of the staff, with what they have asked for',
        permission: 'staff.write',
        params: StaffSessionParams,
        body: WithReason,
        responses: { 200: EndedSessions },
        problems: [consoleProblems.session_not_found],
        examples: { body: { reason: 'A lost laptop.' } },
      }),
    )
    .post(
      '/end-sessions',
      async ({ act, body: { reason, staffId }, staff }) => {
        const subject = { kind: 'staff', id: staffId }
        const { ended } = await act(subject, reason, tx => endSessionsOf(tx, staffId, staff), {
          detail: result => result,
        })
        return { ended }
      },
      consoleOperation({
        id: 'endSessionsOfStaff',
        summary: 'End all sessions, unused links and open requests of a person',
        permission: 'staff.write',
        body: StaffMember,
        responses: { 200: EndedSessions },
        examples: { body: { staffId: 'link:adalovelace', reason: 'Left the club.' } },
      }),
    )
