/** The people of the staff, for owners: who has access, invitations, roles, and the end of access. */
import { Elysia } from 'elysia'
import { linkIdOf } from '../../../core/staff-ids.ts'
import { callOf } from '../../../identity/staff/call.ts'
import { hasTwoPersonPermission } from '../../../identity/staff/roles.ts'
import { inviteStaff } from '../../../identity/staff/sessions/links.ts'
import { changeStaffRole, listStaff } from '../../../identity/staff/sessions/people.ts'
import {
  endSessionsOf,
  endStaffSession,
  listSessions,
} from '../../../identity/staff/sessions/staff-sessions.ts'
import { action, withActions } from '../contract/action.ts'
import { consoleOperation } from '../contract/operation.ts'
import { consoleConfigOf } from '../contract/settings.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

const group = { prefix: '/api/staff', tag: 'Staff' } as const
const IT_REMOVES_ACCESS = 'It removes access.'

const ends = [
  action({
    path: '/sessions/:sessionId/end',
    id: 'endStaffSession',
    summary: 'End a session of a person of the staff, with what they have asked for',
    permission: 'staff.write',
    onePerson: IT_REMOVES_ACCESS,
    params: schema.StaffSessionParams,
    body: schema.WithReason,
    subject: ({ params: { sessionId } }) => ({ kind: 'session', id: sessionId }),
    verb: (tx, { params: { sessionId }, staff }) => endStaffSession(tx, sessionId, staff),
    detail: result => result,
    answer: schema.EndedSessions,
    respond: () => ({ ended: 1 }),
    problems: thrownBy.endStaffSession,
    example: { reason: 'A lost laptop.' },
  }),
  action({
    path: '/end-sessions',
    id: 'endSessionsOfStaff',
    summary: 'End all sessions, unused links and open requests of a person',
    permission: 'staff.write',
    onePerson: IT_REMOVES_ACCESS,
    body: schema.StaffMember,
    subject: ({ body: { staffId } }) => ({ kind: 'staff', id: staffId }),
    verb: (tx, { body: { staffId }, staff }) => endSessionsOf(tx, staffId, staff),
    detail: result => result,
    answer: schema.EndedSessions,
    respond: ({ ended }) => ({ ended }),
    example: { staffId: 'link:adalovelace', reason: 'Left the club.' },
  }),
]

/** These look at who confirmed the request, since that person sees the link, and must not change their own role. */
const access = (deps: StaffDeps) =>
  staff(deps, group)
    .post(
      '/invite',
      async ({ act, body: { name, role, reason }, request, set, staff }) => {
        const subject = { kind: 'staff', id: linkIdOf(name) }
        const shownTo = callOf(request).confirmation?.confirmedBy ?? staff
        const { staffId, secret, expiresAt } = await act(
          subject,
          reason,
          tx => inviteStaff(tx, { name, role, by: staff, shownTo }),
          { detail: { role } },
        )
        set.status = 201
        return { staffId, secret, expiresAt: expiresAt.toISOString() }
      },
      consoleOperation({
        id: 'inviteStaff',
        summary: 'Create a link that signs a person in, once, within a day',
        permission: 'staff.write',
        onePerson: ({ body: { role } }) => !hasTwoPersonPermission(role),
        body: schema.Invitation,
        responses: { 201: schema.Invited },
        problems: thrownBy.inviteStaff,
        examples: { body: { name: 'Ada Lovelace', role: 'moderator', reason: 'Starts in May.' } },
      }),
    )
    .post(
      '/role',
      ({ act, body: { staffId, role, reason }, request, staff }) => {
        const { confirmation } = callOf(request)
        const by = confirmation ? [staff, confirmation.confirmedBy] : [staff]
        return act({ kind: 'staff', id: staffId }, reason, tx => changeStaffRole(tx, { staffId, role, by }), {
          detail: result => ({ role, ...result }),
        })
      },
      consoleOperation({
        id: 'changeStaffRole',
        summary: 'Change the role of a person who signs in with links, at once',
        permission: 'staff.write',
        onePerson: ({ body: { role } }) => !hasTwoPersonPermission(role),
        body: schema.RoleChange,
        responses: { 200: schema.RoleChanged },
        problems: thrownBy.changeStaffRole,
        examples: {
          body: { staffId: 'link:adalovelace', role: 'editor', reason: 'Writes the rewards now.' },
        },
      }),
    )

export const staffRoutes = (deps: StaffDeps) =>
  new Elysia({ name: 'console/staff', normalize: false }).use(access(deps)).use(
    withActions(
      staff(deps, group)
        .get(
          '',
          ({ staff }) => listStaff(deps.db.read, consoleConfigOf(deps), staff),
          consoleOperation({
            id: 'listStaff',
            summary: 'List who has access to the console',
            permission: 'staff.write',
            responses: { 200: schema.StaffList },
          }),
        )
        .get(
          '/sessions',
          async () => ({ sessions: await listSessions(deps.db.read) }),
          consoleOperation({
            id: 'listStaffSessions',
            summary: 'List the sessions of staff that have not ended',
            permission: 'staff.write',
            responses: { 200: schema.StaffSessions },
          }),
        ),
      ends,
    ),
  )
