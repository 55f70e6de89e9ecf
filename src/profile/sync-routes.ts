import { type FanDeps, fans } from '../auth/groups.ts'
import { DomainError } from '../core/problems.ts'
import { Nothing, operation } from '../http/contract/operation.ts'
import { syncIdentity } from '../users/mirror.ts'
import { exampleIdentity, Sync } from '../users/schema.ts'

export const syncRoutes = (deps: FanDeps) =>
  fans(deps, { prefix: '/api/user', tag: 'User' }).post(
    `/sync-${deps.identity.name}`,
    ({ caller, write }) => {
      const { credential, subject } = caller
      // The provider answers its own tokens only.
      if (credential.kind !== 'session') throw new DomainError('session_required')
      return write((tx, { claims }) => syncIdentity(tx, caller, claims), {
        prepare: () => deps.identity.readUserData(credential.token, subject),
      })
    },
    operation({
      id: 'syncIdentity',
      summary: 'Sync from the identity provider',
      description:
        'Takes your data from the provider into the mirror (`identity` of the profile). What you wrote yourself stays as it is.',
      data: 'write',
      body: Nothing,
      responses: { 200: Sync },
      problems: [
        'session_required',
        'identity_provider_unavailable',
        'identity_provider_invalid',
        'identity_provider_refused',
      ],
      examples: {
        responses: {
          200: { identity: exampleIdentity, changed: ['name'], syncedAt: '2026-08-15T18:30:00.000Z' },
        },
      },
    }),
  )
