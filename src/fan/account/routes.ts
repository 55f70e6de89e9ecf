import { Type } from '../../core/typebox.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import type { Config } from '../../platform/config/config.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import { type AccountDeps, deleteAccount } from './delete-account.ts'
import { thrownBy } from './problems.generated.ts'

type RouteDeps = FanDeps & Pick<AccountDeps, 'log'> & { config: Config }

export const accountRoutes = (deps: RouteDeps, { db, log, config } = deps) =>
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
