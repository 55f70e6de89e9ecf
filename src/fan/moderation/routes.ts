import { Elysia } from 'elysia'
import { type Cursors, pageOf } from '../../core/pagination.ts'
import { Closed, PageQuery } from '../../core/schemas.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { anyone } from '../../platform/http/contract/group.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { preferredLanguages } from '../../platform/http/edge/accept-language.ts'
import { failuresOf } from '../../platform/http/edge/server-hooks.ts'
import { Appeal, exampleAppeal, fileAppeal, NewAppeal } from './appeals.ts'
import { wordsFor } from './notice-page/words.ts'
import { exampleNotice, exampleReceipt, findNoticeErrors, NewNotice, NoticeReceipt } from './notice-schema.ts'
import { fileNotice } from './notices.ts'
import { thrownBy } from './problems.generated.ts'
import { fileReport, listReports } from './reports.ts'
import { readSanctions, Sanctions } from './sanctions.ts'
import { exampleReport, NewReport, Report, Reports } from './schema.ts'

type ModerationDeps = FanDeps & { cursors: Cursors }

const reportRoutes = (deps: ModerationDeps) =>
  fans(deps, { prefix: '/api/reports', tag: 'Fans' }).post(
    '',
    ({ body, status, write }) =>
      write(async (tx, fan) => {
        const { created, report } = await fileReport(tx, fan, body)
        return status(created ? 201 : 200, report)
      }),
    operation({
      id: 'fileReport',
      summary: 'Report a fan, a locker or a trade',
      description:
        'The report stores what is shown now, even if the fan changes it later. The fan is not notified. Both fans of a trade can report it. While your report is open, a repeat returns it unchanged.',
      body: NewReport,
      limit: 'reports',
      responses: { 200: Report, 201: Report },
      problems: thrownBy.fileReport,
      examples: {
        body: {
          subject: { kind: 'fan', id: 'calebe' },
          reason: 'harassment',
          note: 'Insults in the bio.',
        },
        200: exampleReport,
        201: exampleReport,
      },
    }),
  )

const ownReportRoutes = (deps: ModerationDeps) =>
  fans(deps, { prefix: '/api/user/reports', tag: 'User' }).get(
    '',
    ({ caller, query }) => listReports(deps.db.read, deps.cursors, caller, pageOf(query)),
    operation({
      id: 'listReports',
      summary: 'List your reports',
      description: 'Your reports and their results. Newest first.',
      query: Closed(PageQuery),
      responses: { 200: Reports },
      problems: thrownBy.listReports,
      examples: { 200: { reports: [exampleReport], nextCursor: null } },
    }),
  )

const appealRoutes = (deps: ModerationDeps) =>
  fans(deps, { prefix: '/api/user/appeals', tag: 'User' }).post(
    '',
    ({ body, status, write }) => write(async (tx, fan) => status(201, await fileAppeal(tx, fan, body))),
    operation({
      id: 'fileAppeal',
      whenSuspended: 'allowed',
      summary: 'Appeal against a sanction',
      description:
        'Possible once for each sanction, while it is in force. A person other than the one who decided the sanction decides the appeal.',
      body: NewAppeal,
      limit: 'reports',
      responses: { 201: Appeal },
      problems: thrownBy.fileAppeal,
      examples: {
        body: { sanctionId: exampleAppeal.sanctionId, text: exampleAppeal.text },
        201: exampleAppeal,
      },
    }),
  )

const sanctionRoutes = (deps: FanDeps) =>
  fans(deps, { prefix: '/api/user/sanctions', tag: 'User' }).get(
    '',
    ({ caller }) => readSanctions(deps.db.read, caller),
    operation({
      id: 'listSanctions',
      summary: 'List what the club decided about you',
      description: 'Sanctions in force and past ones, with their reasons.',
      responses: { 200: Sanctions },
      examples: {
        200: {
          sanctions: [
            {
              id: '01981e2c-7c1f-7000-8000-000000000042',
              kind: 'suspend',
              reason: 'harassment',
              statement: {
                facts: 'Three messages on 14 August insulted another fan.',
                ground: 'harassment',
                automated: false,
              },
              until: '2026-08-22T18:30:00.000Z',
              createdAt: '2026-08-15T18:30:00.000Z',
              liftedAt: null,
              inForce: true,
              appealable: false,
              appeal: exampleAppeal,
            },
          ],
        },
      },
    }),
  )

const noticeRoutes = ({ db }: ModerationDeps) =>
  anyone({ prefix: '/api/notices', tag: 'Fans' })
    .derive(failuresOf)
    .post(
      '',
      async ({ body, failures, request, status }) => {
        failures.countNotice(request)
        const { lang } = wordsFor(preferredLanguages([], request.headers.get('accept-language')))
        return status(201, await fileNotice(db, body, lang))
      },
      operation({
        id: 'fileNotice',
        summary: 'Report illegal content',
        description:
          'For people without an account: a notice of content that is against the law. The response is the confirmation of receipt, and does not tell whether the content exists. The club decides and tells the notifier by e-mail, in the language of `Accept-Language`. Notices are limited by network address and in total. The page `/notice` does the same.',
        body: NewNotice,
        findErrors: findNoticeErrors,
        idempotencyKey: 'none',
        responses: { 201: NoticeReceipt },
        examples: { body: exampleNotice, 201: exampleReceipt },
      }),
    )

export const moderationRoutes = (deps: ModerationDeps) =>
  new Elysia({ name: 'matchday/moderation', normalize: false })
    .use(reportRoutes(deps))
    .use(ownReportRoutes(deps))
    .use(appealRoutes(deps))
    .use(sanctionRoutes(deps))
    .use(noticeRoutes(deps))
