import type { Transaction } from '../../../db/index.ts'
import type { AuthenticatedCaller, Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { authProblems } from '../../identity/auth/problems.ts'
import { syncIdentity } from '../../identity/users/mirror.ts'
import { exampleIdentity, Sync } from '../../identity/users/schema.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import type { ParsedClaims } from '../../platform/identity-provider/claims.ts'
import { thrownBy } from './problems.generated.ts'

/** The path that every deployment has, so that a generated client works with each of them. */
const NEUTRAL = 'identity'

export const syncRoutes = (deps: FanDeps) => {
  const { name } = deps.identity
  const neutral = fans(deps, { prefix: '/api/user', tag: 'User' }).post(
    `/sync-${NEUTRAL}`,
    ({ caller, write }) => write(...syncOf(deps, caller)),
    describeSync('syncIdentity', 'Sync from the identity provider'),
  )
  if (name === NEUTRAL) return neutral
  return neutral.post(
    `/sync-${name}`,
    ({ caller, write }) => write(...syncOf(deps, caller)),
    describeSync('syncNamedIdentity', `Sync from ${name}`),
  )
}

/** The write, and the request to the provider before it. @throws DomainError `session_required` */
function syncOf({ identity }: FanDeps, caller: AuthenticatedCaller) {
  const { credential, subject } = caller
  // The provider accepts its own tokens only.
  if (credential.kind !== 'session') throw new DomainError(authProblems.session_required)
  const work = (tx: Transaction, fan: Caller, { claims }: ParsedClaims) => syncIdentity(tx, fan, claims)
  return [work, { prepare: () => identity.readUserData(credential.token, subject) }] as const
}

const describeSync = (id: string, summary: string) =>
  operation({
    id,
    summary,
    description:
      'Copies your data from the provider to the mirror (`identity` of the profile). Your own values do not change. ' +
      'Every deployment has the path `sync-identity`; the path with the name of its provider does the same.',
    body: Nothing,
    responses: { 200: Sync },
    problems: thrownBy.sync,
    examples: { 200: { identity: exampleIdentity, changed: ['name'], syncedAt: '2026-08-15T18:30:00.000Z' } },
  })
