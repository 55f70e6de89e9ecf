/** Schemas of the audit log. */
import {
  Closed,
  Instant,
  InstantParameter,
  Integer,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
} from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { MAX_STAFF_ID } from '../staff.ts'

const text = (description: string, maxLength = 200) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }))

const filter = {
  staffId: text('Of this person.', MAX_STAFF_ID),
  subjectKind: text('About this kind of subject, such as `fan`.'),
  subjectId: text('About this subject.'),
  operation: text('By the operation of this id.'),
  from: Type.Optional(InstantParameter('At or after this time.')),
  to: Type.Optional(InstantParameter('Before this time.')),
}
export const AuditFilter = Closed(filter)
export const AuditExport = Closed({
  ...filter,
  format: Type.Optional(OneOf(['ndjson', 'csv'], { description: 'By default NDJSON.' })),
})
export const AuditFile = Type.String({
  contentMediaType: 'application/x-ndjson',
  description: 'A row of the log a line.',
})
export const AuditQuery = Closed({ ...filter, ...PageQuery })

export const NamedSubject = Closed({
  kind: Type.String(),
  id: Type.String(),
  name: Nullable(Type.String(), {
    description: 'Of a fan, as others see it now, null after an erasure; or of a match or an entry.',
  }),
})

export const OUTCOMES = ['done', 'unchanged', 'waiting', 'confirmed', 'refused', 'expired', 'failed'] as const

const AuditEntry = Closed(
  {
    outcome: OneOf(OUTCOMES, {
      description:
        '`waiting`, `confirmed`, `refused`, `expired`: of a request for a second person. `unchanged`: it had been done before.',
    }),
    problem: Nullable(Type.String(), { description: 'The code of a refusal or failure.' }),
    amount: Nullable(Closed({ amount: Integer(), currency: Type.String() }), {
      description: 'What was given, taken or refunded: minor units, or `POINTS`.',
    }),
    fan: Nullable(Closed({ id: Type.String(), name: Nullable(Type.String()) }), {
      description: 'The fan that it concerns, also if the subject is an order, a purchase or a code.',
    }),
    seq: Integer({ description: '1, 2, 3 … without gaps.' }),
    at: Instant('When it was done.'),
    staff: Closed({ id: Type.String(), name: Type.String(), role: Type.String() }),
    operation: Type.String({ description: 'Id of the operation.' }),
    subject: NamedSubject,
    reason: Nullable(Type.String()),
    detail: Nullable(Type.Record(Type.String(), Type.Unknown())),
    confirmedBy: Nullable(Closed({ id: Type.String(), name: Type.String() }), {
      description: 'The second person, for an action that needs two.',
    }),
    hash: Type.String({ description: 'Hash of this row and of the previous hash.' }),
  },
  { title: 'AuditEntry' },
)
export const AuditPage = Closed(
  { entries: Type.Array(AuditEntry), nextCursor: NextCursor },
  { title: 'AuditPage' },
)

export const AuditState = Closed(
  {
    rows: Integer({ description: 'How many rows were verified.' }),
    head: Nullable(Closed({ seq: Integer(), hash: Type.String() }), { description: 'The newest row.' }),
    intact: Type.Boolean({ description: 'Whether nothing was found.' }),
    findings: Type.Array(
      Closed({
        seq: Integer({ description: 'Of the row.' }),
        fault: OneOf(['missing', 'changed', 'anchored']),
      }),
      { description: 'At most 100.' },
    ),
  },
  { title: 'AuditState' },
)
