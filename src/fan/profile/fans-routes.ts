import { type ServerDeps, servers } from '../../identity/server-keys/group.ts'
import type { FanEmails } from '../../identity/users/emails.ts'
import { findFans } from '../../identity/users/find-fans.ts'
import { exampleFoundFans, FanQuery, FoundFans, findQueryFaults } from '../../identity/users/found-fans.ts'
import { operation } from '../../platform/http/contract/operation.ts'

export const fansRoutes = (deps: ServerDeps & { fanEmails: FanEmails | null }) =>
  servers(deps, { prefix: '/api/fans', tag: 'Server', scope: 'fans:read' }).get(
    '',
    async ({ query }) => ({ fans: await findFans(deps.db.read, deps.fanEmails, query) }),
    operation({
      id: 'findFans',
      summary: 'Find a fan',
      description:
        'By the subject at the provider, or by a verified e-mail address, which matches as a whole, in any case of ASCII letters. A verified address is found within a second or so after the provider has stated it.',
      query: FanQuery,
      findErrors: findQueryFaults,
      responses: { 200: FoundFans },
      examples: { 200: exampleFoundFans },
    }),
  )
