import { Elysia } from 'elysia'
import { type AuthDeps, authenticate } from '../auth/authenticate.ts'
import { DomainError } from '../core/problems.ts'
import { Nothing, operation } from '../http/contract/operation.ts'
import { type MutationDeps, mutate } from '../http/idempotency/idempotency.ts'
import { syncIdentity } from '../users/mirror.ts'
import { exampleIdentity, Sync } from '../users/schema.ts'

export const syncRoutes = (deps: AuthDeps & MutationDeps) =>
  new Elysia({ name: 'matchday/sync', prefix: '/api/user' }).use(authenticate(deps)).post(
    `/sync-${deps.identity.name}`,
    ({ body, caller, request, route, set }) => {
      const { credential, subject } = caller
      // The provider answers its own tokens only.
      if (credential.kind !== 'session') throw new DomainError('session_required')
      return mutate(
        deps,
        { body, caller, request, route, set },
        (tx, { claims }) => syncIdentity(tx, caller, claims),
        {
          prepare: () => deps.identity.userData(credential.token, subject),
        },
      )
    },
    operation({
      id: 'syncIdentity',
      summary: 'Sync from the identity provider',
      description:
        'Takes your data from the provider into the mirror (`identity` of the profile). What you wrote yourself stays as it is.',
      tag: 'User',
      caller: 'caller',
      data: 'write',
      body: Nothing,
      answers: { 200: Sync },
      problems: [
        'session_required',
        'identity_provider_unavailable',
        'identity_provider_invalid',
        'identity_provider_refused',
      ],
      examples: {
        answers: {
          200: { identity: exampleIdentity, changed: ['name'], syncedAt: '2026-08-15T18:30:00.000Z' },
        },
      },
    }),
  )
