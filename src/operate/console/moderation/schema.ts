import {
  Closed,
  Id,
  IdReference,
  Instant,
  InstantInput,
  Integer,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
} from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { NOTICE_CATEGORIES, NOTICE_SUBJECTS } from '../../../fan/moderation/notice-kinds.ts'
import { DECISIONS, SANCTIONS } from '../../../identity/sanctions/kinds.ts'
import { REASONS } from '../../../identity/sanctions/reasons.ts'
import { Reason } from '../../../identity/staff/reason.ts'

const reason = OneOf(REASONS, { description: 'What was wrong, as the fan sees it.' })
/** The same kinds as in `subjects.ts`: the pages import this file, which must not import server code. */
const subjectKind = OneOf(['fan', 'locker', 'trade', 'league'], { description: 'What was reported.' })
const handle = Nullable(Type.String(), { description: 'Null: the fan has none.' })
const Fan = Closed({ id: Id('The fan.'), handle }, { title: 'ModeratedFan' })

export const Open = Closed(
  {
    cases: Integer({ description: 'Subjects with open reports.' }),
    reports: Integer({ description: 'Open reports, in all cases.' }),
    oldest: Nullable(Instant('When the oldest open report was filed.')),
    appeals: Integer({ description: 'Open appeals.' }),
    notices: Integer({ description: 'Open notices of illegal content.' }),
  },
  { title: 'OpenForModerators' },
)
export type Open = typeof Open.static

export const QueueQuery = Closed({
  ...PageQuery,
  order: Type.Optional(OneOf(['heaviest', 'oldest'], { description: 'Of the list; `heaviest` by default.' })),
})
export const AppealsQuery = Closed(PageQuery)

export const Queue = Closed(
  {
    cases: Type.Array(
      Closed(
        {
          caseId: Id('The case: the oldest of its reports.'),
          subjectKind,
          fan: Fan,
          reports: Integer({ description: 'Open reports.' }),
          reporters: Integer({ description: 'Those of fans; the others are of the text filter.' }),
          weight: Integer({
            description: 'Thousandths: 500 for a first report, more for reporters who were right.',
          }),
          since: Instant('When the oldest report was filed.'),
        },
        { title: 'ListedCase' },
      ),
      { description: 'In the order that was asked for.' },
    ),
    nextCursor: NextCursor,
  },
  { title: 'ModerationQueue' },
)

export type Queue = typeof Queue.static

const CaseReport = Closed(
  {
    id: Id('The report.'),
    reason,
    note: Nullable(Type.String(), { description: 'In the words of the reporter.' }),
    evidence: Nullable(Type.Record(Type.String(), Type.Unknown()), {
      description: 'What the subject showed when it was reported.',
    }),
    reporter: Nullable(
      Closed({
        filed: Integer({ description: 'Reports that they have filed.' }),
        upheld: Integer({ description: 'Those that led to a sanction.' }),
        dismissed: Integer({ description: 'Those that were dismissed.' }),
      }),
      { description: 'How often the reporter was right, without who it is. Null: the text filter.' },
    ),
    createdAt: Instant('When it was filed.'),
  },
  { title: 'CaseReport' },
)

const Decision = Closed(
  {
    id: Id('The decision.'),
    kind: OneOf(DECISIONS),
    reason,
    until: Nullable(Instant('Of a suspension.')),
    liftsId: Nullable(Type.String(), { description: 'Of a lift: the sanction that it ends.' }),
    decidedBy: Type.String({ description: 'Name of the moderator.' }),
    facts: Nullable(Type.String(), { description: 'What the fan is told. Null if nothing was stated.' }),
    note: Nullable(Type.String(), { description: 'Internal.' }),
    inForce: Type.Boolean(),
    createdAt: Instant('When it was decided.'),
  },
  { title: 'ShownDecision' },
)

const appealMembers = {
  id: Id('The appeal.'),
  sanctionId: Id('The sanction.'),
  text: Type.String({ description: 'In the words of the fan.' }),
  granted: Nullable(Type.Boolean(), { description: 'Null: it is open.' }),
  decidedBy: Nullable(Type.String()),
  decidedAt: Nullable(Instant('When it was decided.')),
  createdAt: Instant('When it was written.'),
}

export const FanRecord = Closed(
  {
    fan: Fan,
    decisions: Type.Array(Decision, { description: 'Newest first.' }),
    appeals: Type.Array(Closed(appealMembers), { description: 'Newest first.' }),
    openReports: Integer({ description: 'About the fan, in all cases.' }),
  },
  { title: 'ModerationRecord' },
)
export type FanRecord = typeof FanRecord.static

export const Case = Closed(
  {
    caseId: Id('The case.'),
    subjectKind,
    subjectId: Type.String({ description: 'Of a fan or a locker the user id; else the id of the trade.' }),
    openReports: Integer({ description: 'Of the case.' }),
    reports: Type.Array(CaseReport, { description: 'The oldest first, at most 100.' }),
    record: FanRecord,
  },
  { title: 'ModerationCase' },
)
export type Case = typeof Case.static

export const Appeals = Closed(
  {
    appeals: Type.Array(
      Closed({
        ...appealMembers,
        fan: Fan,
        sanction: Closed({
          kind: OneOf(SANCTIONS),
          reason,
          until: Nullable(Instant('Of a suspension.')),
          decidedBy: Type.String(),
          createdAt: Instant('When it was decided.'),
        }),
        yours: Type.Boolean({
          description: 'Whether you decided the sanction: then another person decides.',
        }),
      }),
      { description: 'The oldest first.' },
    ),
    nextCursor: NextCursor,
  },
  { title: 'OpenAppeals' },
)

const note = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'For moderators; an erasure of the fan deletes it.',
  }),
)

export const NewDecision = Closed(
  {
    kind: OneOf(['dismiss', 'hide', 'mute', 'suspend', 'note'], { description: 'What is decided.' }),
    reason,
    facts: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description:
          'What happened, as plain text that the fan sees. Of `hide`, `mute` and `suspend`, which need it. An erasure of the fan deletes it.',
      }),
    ),
    note,
    until: Type.Optional(InstantInput('Of a suspension, which needs it: up to ten years ahead.')),
  },
  { title: 'NewDecision' },
)
export type NewDecision = typeof NewDecision.static

export const NewLift = Closed(
  { sanctionId: IdReference('The sanction that it ends.'), reason, note },
  { title: 'NewLift' },
)

export const AppealDecision = Closed(
  { granted: Type.Boolean({ description: 'Whether the sanction is lifted.' }), reason, note },
  { title: 'AppealDecision' },
)

export const NoticesQuery = Closed({
  ...PageQuery,
  state: Type.Optional(
    OneOf(['open', 'decided'], {
      description: '`open`, the oldest first, by default; or `decided`, newest first.',
    }),
  ),
})

export const Notices = Closed(
  {
    notices: Type.Array(
      Closed(
        {
          id: Id('The notice: the number of its receipt.'),
          category: OneOf(NOTICE_CATEGORIES, { description: 'What kind of law the content breaks.' }),
          subjectKind: Nullable(OneOf(NOTICE_SUBJECTS), {
            description: 'What the content is. Null: the server does not know it.',
          }),
          fan: Nullable(Fan, { description: 'Whose content it is, if the server knows it.' }),
          reference: Nullable(Type.String(), { description: 'The handle that the notifier named.' }),
          location: Nullable(Type.String(), { description: 'Where it is, in words of the notifier.' }),
          explanation: Nullable(Type.String(), {
            description: 'Why it is illegal. Null: deleted long after the decision, or with the fan.',
          }),
          evidence: Nullable(Type.Record(Type.String(), Type.Unknown()), {
            description: 'What the content showed when the notice came.',
          }),
          repeats: Integer({ description: 'Further notices about the content that were counted only.' }),
          hasNotifier: Type.Boolean({ description: 'Whether an e-mail address of the notifier is stored.' }),
          createdAt: Instant('When it came.'),
          decidedAt: Nullable(Instant('When it was decided.')),
          actionTaken: Nullable(Type.Boolean(), { description: 'Null: it is open.' }),
          decidedBy: Nullable(Type.String(), {
            description: 'Name of the moderator. Null also where the fan was erased before.',
          }),
          reply: Nullable(Type.String(), {
            description: 'What to write to the notifier, in their language, once it is decided.',
          }),
        },
        { title: 'ContentNotice' },
      ),
      { description: 'In the order of the state.' },
    ),
    nextCursor: NextCursor,
  },
  { title: 'ContentNotices' },
)

export const NoticeDecision = Closed(
  {
    actionTaken: Type.Boolean({ description: 'Whether the club acts on the content.' }),
    reason,
    answer: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Why, for the notifier, in their language.',
    }),
    sanction: Type.Optional(
      OneOf(SANCTIONS, { description: 'Decided about the fan of the content in the same step.' }),
    ),
    facts: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: 'Of a sanction, which needs it: what happened, as plain text that the fan sees.',
      }),
    ),
    until: Type.Optional(InstantInput('Of a suspension, which needs it: up to ten years ahead.')),
  },
  { title: 'NoticeDecision' },
)
export type NoticeDecision = typeof NoticeDecision.static

export const NoticeParams = Closed({ noticeId: IdReference('The notice.') })
export const ForNotifier = Closed({ reason: Reason }, { title: 'ForNotifier' })
export const Notifier = Closed({
  name: Nullable(Type.String()),
  email: Nullable(Type.String(), { description: 'Null: none was given, or it was deleted.' }),
})
export const NoticeDecided = Closed({ noticeId: Id('The notice.') }, { title: 'NoticeDecided' })

export const CaseParams = Closed({ caseId: IdReference('The case.') })
export const FanParams = Closed({ fan: IdReference('Handle or user id.', 'calebe') })
export const FanIdParams = Closed({ fanId: IdReference('The fan.') })
export const AppealParams = Closed({ appealId: IdReference('The appeal.') })
export const ReportParams = Closed({ reportId: IdReference('The report.') })

export const RevealReporter = Closed({ reason: Reason }, { title: 'RevealReporter' })
export const Reporter = Closed({ reporter: Nullable(Fan, { description: 'Null: the text filter.' }) })

export const Decided = Closed({ decisionId: Id('The decision, or the appeal.') }, { title: 'Decided' })
