/** Schemas of approvals. */
import {
  Closed,
  IdReference,
  Instant,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
} from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { NamedSubject } from '../audit/schema.ts'
import { Reason } from '../reason.ts'
import { ROLES } from '../roles.ts'

export const ApprovalParams = Closed({ approvalId: IdReference('Id of the approval.') })

export const ApprovalQuery = Closed({
  state: Type.Optional(OneOf(['pending', 'decided', 'expired'])),
  ...PageQuery,
})

export const Refusal = Closed({ reason: Reason })

export const Approval = Closed(
  {
    id: Type.String(),
    state: OneOf(['pending', 'confirmed', 'refused', 'expired']),
    operation: Type.String({ description: 'Id of the operation to perform.' }),
    permission: Type.String({ description: 'The permission that the second person needs.' }),
    subject: NamedSubject,
    reason: Nullable(Type.String()),
    input: Nullable(Type.Record(Type.String(), Type.Unknown()), {
      description: 'The members of the request, until it is decided or has expired.',
    }),
    requestedBy: Closed({ id: Type.String(), name: Type.String(), role: OneOf(ROLES) }),
    requestedAt: Instant('When the first person asked for it.'),
    expiresAt: Instant('Until when it can be decided.'),
    decidedBy: Nullable(Closed({ id: Type.String(), name: Type.String() })),
    decidedAt: Nullable(Instant('When it was decided.')),
    mayConfirm: Type.Boolean({ description: 'Whether the person who reads it may confirm it.' }),
  },
  { title: 'Approval' },
)

export const ApprovalPage = Closed(
  { approvals: Type.Array(Approval), nextCursor: NextCursor },
  { title: 'ApprovalPage' },
)

export const Confirmed = Closed(
  {
    approvalId: Type.String(),
    status: Type.Integer({ description: 'Of the response of the operation.' }),
    result: Type.Unknown({ description: 'The response of the operation.' }),
  },
  { title: 'Confirmed' },
)
