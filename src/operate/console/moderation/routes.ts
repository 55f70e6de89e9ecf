/** Moderation: the queue, cases, decisions and appeals. */

import { type Cursors, pageOf } from '../../../core/pagination.ts'
import { findReport } from '../../../fan/moderation/cases.ts'
import { findFan } from '../../../fan/moderation/fan-record.ts'
import { deleteNotifier, readNotifier } from '../../../fan/moderation/notices.ts'
import { countOpen } from '../../../fan/moderation/queue.ts'
import {
  readAppeals,
  readCase,
  readCases,
  readRecord,
  readReporter,
} from '../../../fan/moderation/read-case.ts'
import { listNotices } from '../../../fan/moderation/read-notices.ts'
import { decideAppeal } from '../../../identity/sanctions/appeals.ts'
import { recordDecision } from '../../../identity/sanctions/decisions.ts'
import { Nothing } from '../../../platform/http/contract/operation.ts'
import { action, withActions } from '../contract/action.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { decideAs, decideNoticeAs, moderatorOf } from './decide.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

type ModerationDeps = StaffDeps & { cursors: Cursors }

const exampleDecision = { kind: 'dismiss', reason: 'other', note: 'A joke among friends.' } as const

const readRoutes = (deps: ModerationDeps, { db, cursors } = deps) =>
  staff(deps, { prefix: '/api/moderation', tag: 'Moderation' })
    .get(
      '/open',
      () => countOpen(db.read),
      consoleOperation({
        id: 'countOpenCases',
        summary: 'Count the open cases, reports and appeals',
        permission: 'moderation.read',
        query: Nothing,
        responses: { 200: schema.Open },
      }),
    )
    .get(
      '/cases',
      ({ query }) => readCases(db.read, cursors, query.order ?? 'heaviest', pageOf(query)),
      consoleOperation({
        id: 'listCases',
        summary: 'List the open cases, the heaviest or the oldest first',
        permission: 'moderation.read',
        query: schema.QueueQuery,
        responses: { 200: schema.Queue },
        problems: thrownBy.listCases,
      }),
    )
    .get(
      '/cases/:caseId',
      ({ params }) => readCase(db.read, params.caseId),
      consoleOperation({
        id: 'readCase',
        summary: 'Read a case: its reports with their evidence, and the record of the fan',
        permission: 'moderation.read',
        params: schema.CaseParams,
        responses: { 200: schema.Case },
        problems: thrownBy.readCase,
      }),
    )
    .get(
      '/fans/:fan',
      async ({ params }) => readRecord(db.read, await findFan(db.read, params.fan)),
      consoleOperation({
        id: 'readModerationRecord',
        summary: 'Read the decisions about a fan',
        permission: 'moderation.read',
        params: schema.FanParams,
        responses: { 200: schema.FanRecord },
        problems: thrownBy.readModerationRecord,
      }),
    )
    .get(
      '/appeals',
      ({ query, staff }) => readAppeals(db.read, cursors, moderatorOf(staff), pageOf(query)),
      consoleOperation({
        id: 'listAppeals',
        summary: 'List the open appeals, the oldest first',
        permission: 'moderation.read',
        query: schema.AppealsQuery,
        responses: { 200: schema.Appeals },
        problems: thrownBy.listAppeals,
      }),
    )
    .get(
      '/notices',
      ({ query }) => listNotices(db.read, cursors, query.state ?? 'open', pageOf(query)),
      consoleOperation({
        id: 'listNotices',
        summary: 'List the notices of illegal content of people without an account',
        permission: 'moderation.read',
        query: schema.NoticesQuery,
        responses: { 200: schema.Notices },
        problems: thrownBy.listNotices,
      }),
    )

const about = (kind: string, member: string) => ({
  subject: ({ params }: { params: Record<string, string> }) => ({ kind, id: params[member] ?? '' }),
})
const answerWithId = { answer: schema.Decided, respond: ({ id }: { id: string }) => ({ decisionId: id }) }

const decisions = [
  action({
    ...answerWithId,
    ...about('fan', 'fanId'),
    path: '/fans/:fanId/decisions',
    id: 'decideAboutFan',
    summary: 'Decide about a fan, with or without reports',
    permission: 'moderation.write',
    params: schema.FanIdParams,
    body: schema.NewDecision,
    verb: (tx, { body, params: { fanId }, staff }) => decideAs(tx, staff, fanId, body),
    detail: ({ id, kind }) => ({ decisionId: id, kind }),
    problems: thrownBy.decideAboutFan,
    example: { ...exampleDecision, kind: 'note' },
  }),
  action({
    ...answerWithId,
    ...about('fan', 'fanId'),
    path: '/fans/:fanId/lifts',
    id: 'liftSanction',
    summary: 'End a sanction',
    permission: 'moderation.write',
    params: schema.FanIdParams,
    body: schema.NewLift,
    verb: (tx, { body: { sanctionId: liftsId, reason, note }, params: { fanId }, staff }) =>
      recordDecision(tx, { ...moderatorOf(staff), fanId, kind: 'lift', liftsId, reason, note }),
    detail: ({ id }, { body: { sanctionId } }) => ({ decisionId: id, sanctionId }),
    problems: thrownBy.liftSanction,
    example: {
      sanctionId: '01981e2c-7c1f-7000-8000-000000000042',
      reason: 'other',
      note: 'It was a quote.',
    },
  }),
  action({
    ...answerWithId,
    ...about('appeal', 'appealId'),
    path: '/appeals/:appealId/decision',
    id: 'decideAppeal',
    summary: 'Grant or reject an appeal against a sanction of another person',
    permission: 'moderation.write',
    params: schema.AppealParams,
    body: schema.AppealDecision,
    verb: (tx, { body, params: { appealId }, staff }) =>
      decideAppeal(tx, appealId, { ...moderatorOf(staff), ...body }),
    detail: ({ fanId, sanctionId, granted }) => ({ fanId, sanctionId, granted }),
    problems: thrownBy.decideAppeal,
    example: { granted: true, reason: 'other' },
  }),
  action({
    ...about('report', 'reportId'),
    path: '/reports/:reportId/reporter',
    id: 'revealReporter',
    summary: 'Read who filed a report; the audit log records it',
    permission: 'moderation.write',
    params: schema.ReportParams,
    body: schema.RevealReporter,
    verb: (tx, { params: { reportId } }) => readReporter(tx, reportId),
    answer: schema.Reporter,
    respond: reporter => ({ reporter }),
    problems: thrownBy.revealReporter,
    example: { reason: 'The reporter asked by phone.' },
  }),
]

const noticeActions = [
  action({
    ...about('notice', 'noticeId'),
    path: '/notices/:noticeId/decision',
    id: 'decideNotice',
    summary: 'Decide a notice of illegal content, with or without a sanction of the fan',
    permission: 'moderation.write',
    params: schema.NoticeParams,
    body: schema.NoticeDecision,
    verb: (tx, { body, params: { noticeId }, staff }) => decideNoticeAs(tx, staff, noticeId, body),
    detail: ({ fanId, actionTaken, decisionId }) => ({ fanId, actionTaken, decisionId }),
    answer: schema.NoticeDecided,
    respond: ({ id }) => ({ noticeId: id }),
    problems: thrownBy.decideNotice,
    example: { actionTaken: false, reason: 'other', answer: 'The text is satire.' },
  }),
  action({
    ...about('notice', 'noticeId'),
    path: '/notices/:noticeId/notifier',
    id: 'revealNotifier',
    summary: 'Read who sent a notice; the audit log records it',
    permission: 'moderation.write',
    params: schema.NoticeParams,
    body: schema.ForNotifier,
    verb: (tx, { params: { noticeId } }) => readNotifier(tx, noticeId),
    answer: schema.Notifier,
    problems: thrownBy.revealNotifier,
    example: { reason: 'To tell the decision.' },
  }),
  action({
    ...about('notice', 'noticeId'),
    path: '/notices/:noticeId/forget-notifier',
    id: 'deleteNotifier',
    summary: 'Delete the name and the e-mail address of who sent a notice',
    permission: 'moderation.write',
    params: schema.NoticeParams,
    body: schema.ForNotifier,
    verb: (tx, { params: { noticeId } }) => deleteNotifier(tx, noticeId),
    problems: thrownBy.deleteNotifier,
    example: { reason: 'The notifier asked for it.' },
  }),
]

export const moderationRoutes = (deps: ModerationDeps) =>
  withActions(
    readRoutes(deps).post(
      '/cases/:caseId/decisions',
      async ({ act, body, params: { caseId }, staff }) => {
        const report = await findReport(deps.db.read, caseId)
        const decision = await act(
          { kind: 'fan', id: report?.fanId ?? caseId },
          body.reason,
          tx => decideAs(tx, staff, caseId, body),
          { detail: ({ id, kind }) => ({ caseId, decisionId: id, kind }) },
        )
        return { decisionId: decision.id }
      },
      consoleOperation({
        id: 'decideCase',
        summary: 'Decide a case, and resolve all its open reports',
        description:
          'A note leaves the case open. If several decisions are made at the same time, one succeeds.',
        permission: 'moderation.write',
        params: schema.CaseParams,
        body: schema.NewDecision,
        responses: { 200: schema.Decided },
        problems: thrownBy.decideCase,
        examples: { body: exampleDecision },
      }),
    ),
    [...decisions, ...noticeActions],
  )
