import { Elysia } from 'elysia'
import { Type } from '../../core/typebox.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import type { Config } from '../../platform/config/config.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import { type AccountDeps, deleteAccount } from './delete-account.ts'
import type { ExportLinks } from './export-links.ts'
import { DataExport, exampleExport, readExport, requestExport } from './exports.ts'
import { thrownBy } from './problems.generated.ts'

type RouteDeps = FanDeps & Pick<AccountDeps, 'log'> & { config: Config; exportLinks: ExportLinks }

const pendingExport = { ...exampleExport, state: 'pending', url: null } satisfies DataExport

const deleteRoutes = (deps: RouteDeps, { db, log, config } = deps) =>
  fans(deps, { prefix: '/api/user', tag: 'User' }).delete(
    '',
    async ({ caller, status }) => {
      await deleteAccount({ db, log, erasureList: config.erasureList }, caller)
      return status(204, undefined)
    },
    operation({
      id: 'deleteAccount',
      whenSuspended: 'allowed',
      summary: 'Delete your account',
      description:
        'Erases your personal data permanently and signs you out everywhere. The same identity cannot sign in again. Requires a session token of a user who authenticated at most 5 minutes ago. The ledger, past purchases and proofs stay under an id that identifies no person.',
      body: Nothing,
      idempotencyKey: 'none',
      limit: 'tokens',
      responses: { 204: Type.Void({ description: 'Deleted.' }) },
      problems: thrownBy.deleteAccount,
    }),
  )

const exportRoutes = (deps: RouteDeps) =>
  fans(deps, { prefix: '/api/user/export', tag: 'User' })
    .post(
      '',
      ({ status, write }) =>
        write(
          async (tx, fan, _, madeAt) => {
            const { created, dataExport } = await requestExport(tx, fan, deps.exportLinks, madeAt)
            return status(created ? 202 : 200, dataExport)
          },
          // The link in the response must not be stored: a repeat reads it again.
          { secret: true },
        ),
      operation({
        id: 'requestExport',
        whenSuspended: 'allowed',
        summary: 'Ask for a file with your data',
        description:
          'The file has all data that is stored about you, as JSON. It is written in the background, mostly within a minute, and kept for 7 days. Possible once a day, in the time zone of the club: a repeat returns the export of the day.',
        body: Nothing,
        responses: { 200: DataExport, 202: DataExport },
        examples: { 200: exampleExport, 202: pendingExport },
      }),
    )
    .get(
      '',
      ({ caller }) => readExport(deps.db.read, caller, deps.exportLinks),
      operation({
        id: 'readExport',
        summary: 'Read the state of your file',
        description: 'The newest export, with a link when the file is ready.',
        responses: { 200: DataExport },
        problems: thrownBy.readExport,
        examples: { 200: exampleExport },
      }),
    )

export const accountRoutes = (deps: RouteDeps) =>
  new Elysia({ name: 'matchday/account', normalize: false }).use(deleteRoutes(deps)).use(exportRoutes(deps))
