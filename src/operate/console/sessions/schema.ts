/** Schemas of sessions. */
import { Closed, IdReference, Instant, Integer, OneOf } from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { Reason } from '../contract/reason.ts'
import { PERMISSION_NAMES, type Permission, ROLES } from '../roles.ts'
import { MAX_STAFF_ID } from '../staff.ts'

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
export const StaffSessions = Closed(
  {
    sessions: Type.Array(
      Closed({
        id: Type.String(),
        staff: Closed({ id: Type.String(), name: Type.String(), role: RoleName }),
        createdAt: Instant('When the person signed in.'),
        lastUsedAt: Instant('To the minute.'),
        expiresAt: Instant('When the session ends by itself.'),
      }),
    ),
  },
  { title: 'StaffSessions' },
)
