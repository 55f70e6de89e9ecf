import { Closed, Id, IdReference, Instant, NextCursor, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { REASONS } from '../../identity/sanctions/reasons.ts'
import { SUBJECT_KINDS } from './subjects.ts'

const kind = OneOf(SUBJECT_KINDS, { description: 'What is reported.' })
const reason = OneOf(REASONS, { description: 'What is wrong with it.' })

export const NewReport = Closed(
  {
    subject: Closed(
      {
        kind,
        id: IdReference(
          'For a fan or a locker: the handle of the fan. For a trade or a league: its id.',
          'calebe',
        ),
      },
      { description: 'What you report.' },
    ),
    reason,
    note: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'What the club should know about it.' }),
    ),
  },
  { title: 'NewReport' },
)
export type NewReport = typeof NewReport.static

export const Report = Closed(
  {
    id: Id('The report.'),
    subject: Closed(
      {
        kind,
        id: Nullable(Type.String(), {
          description: 'The id or handle that you reported. Null after the fan was erased.',
        }),
      },
      { description: 'What you reported.' },
    ),
    reason,
    note: Nullable(Type.String(), { description: 'Null if you wrote none, or once the fan was erased.' }),
    status: OneOf(['open', 'resolved'], { description: '`resolved`: the club has decided.' }),
    actionTaken: Type.Boolean({ description: 'Whether the club has acted on it; false while it is open.' }),
    createdAt: Instant('When you reported it.'),
    resolvedAt: Nullable(Type.String({ format: 'date-time' }), { description: 'When the club decided.' }),
  },
  { title: 'Report' },
)
export type Report = typeof Report.static

export const Reports = Closed(
  { reports: Type.Array(Report, { description: 'Newest first.' }), nextCursor: NextCursor },
  { title: 'Reports' },
)

export const exampleReport = {
  id: '01981e2c-7c1f-7000-8000-000000000043',
  subject: { kind: 'fan', id: 'calebe' },
  reason: 'harassment',
  note: 'Insults in the bio.',
  status: 'open',
  actionTaken: false,
  createdAt: '2026-08-15T18:30:00.000Z',
  resolvedAt: null,
}
