/** Schemas of sessions. */
import { Closed, IdReference, Instant, Integer, Nullable, OneOf } from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { Reason } from '../../../identity/staff/reason.ts'
import { PERMISSION_NAMES, type Permission, ROLES } from '../../../identity/staff/roles.ts'
import { MAX_STAFF_ID } from '../../../identity/staff/staff.ts'

const RoleName = OneOf(ROLES, { description: 'What the person may do: see `roles.ts`.' })

export const LinkSecret = Closed({
  secret: Type.String({ minLength: 1, maxLength: 100, description: 'What stands after `#` in the link.' }),
})

export const LinkOwner = Closed({ name: Type.String(), role: RoleName }, { title: 'LinkOwner' })

export const CurrentSession = Closed(
  {
    staff: Closed({ id: Type.String(), name: Type.String(), role: RoleName }),
    permissions: Type.Array(Type.Unsafe<Permission>(OneOf(PERMISSION_NAMES))),
    csrfToken: Type.String({ description: 'For the header `X-CSRF-Token` of requests that write.' }),
    expiresAt: Instant('When the session ends.'),
    production: Type.Boolean({ description: 'Whether this is the system of real fans.' }),
    club: Closed({
      timeZone: Nullable(Type.String(), { description: 'In which pages show times by default.' }),
      currency: Nullable(Type.String(), { description: 'Of prices by default.' }),
    }),
    apiOrigin: Type.String({ description: 'Against which addresses that are paths are resolved.' }),
    publicUrl: Type.Optional(Type.String({ description: 'Where apps reach the API, if it is configured.' })),
  },
  { title: 'CurrentSession' },
)

export const StaffSessionParams = Closed({ sessionId: IdReference('Id of the session.') })
export const WithReason = Closed({ reason: Reason })
export const StaffMember = Closed({
  staffId: Type.String({ minLength: 1, maxLength: MAX_STAFF_ID, description: 'Id of the person.' }),
  reason: Reason,
})
export const EndedSessions = Closed({ ended: Integer({ description: 'How many sessions ended.' }) })
const session = {
  id: Type.String(),
  createdAt: Instant('When the person signed in.'),
  lastUsedAt: Instant('To the minute.'),
  expiresAt: Instant('When the session ends by itself.'),
}
const Person = Closed({ id: Type.String(), name: Type.String(), role: RoleName })
export const StaffSessions = Closed(
  { sessions: Type.Array(Closed({ ...session, staff: Person })) },
  { title: 'StaffSessions' },
)

export const StaffList = Closed(
  {
    people: Type.Array(
      Closed({
        staff: Person,
        way: OneOf(['link', 'provider'], { description: 'How the person signs in.' }),
        isYou: Type.Boolean(),
        sessions: Type.Array(Closed({ ...session, role: RoleName }), { description: 'Newest first.' }),
        links: Type.Array(
          Closed({
            role: RoleName,
            createdAt: Instant('When it was made.'),
            expiresAt: Instant('Until when it can be used, once.'),
            invitedBy: Nullable(Type.String(), { description: 'A name. Null: an operator of the server.' }),
          }),
          { description: 'Links that nobody has used.' },
        ),
        lastSignInAt: Nullable(Instant('The newest sign-in of the last 30 days.')),
      }),
      { description: 'With a session, an unused link, or a sign-in of the last 30 days.' },
    ),
    roles: Type.Array(
      Closed({
        role: RoleName,
        may: Type.Array(Type.String(), { description: 'In words.' }),
        needsSecondPerson: Type.Boolean({
          description: 'Whether another owner must confirm that a person gets this role.',
        }),
      }),
    ),
    provider: Nullable(Closed({ issuer: Type.String(), roleClaim: Type.String() }), {
      description: 'Where staff sign in as well, and the claim that has their roles there.',
    }),
  },
  { title: 'StaffList' },
)

export const Invitation = Closed({
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Of the person. The same name belongs to the same person.',
    examples: ['Ada Lovelace'],
  }),
  role: RoleName,
  reason: Reason,
})
export const Invited = Closed(
  {
    staffId: Type.String(),
    secret: Type.String({ description: 'For the address `/sign-in#SECRET`. Shown this once.' }),
    expiresAt: Instant('Until when the link can be used, once.'),
  },
  { title: 'Invited' },
)
export const RoleChange = Closed({
  staffId: StaffMember.properties.staffId,
  role: RoleName,
  reason: Reason,
})
export const RoleChanged = Closed({
  sessions: Integer({ description: 'How many sessions have the role now.' }),
  links: Integer({ description: 'How many unused links have it.' }),
})
