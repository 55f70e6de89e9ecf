import { Elysia } from 'elysia'
import { authenticate } from '../auth/authenticate.ts'
import type { Deps } from '../deps.ts'
import { Nothing, operation } from '../http/operation.ts'
import { syncIdentity } from './mirror.ts'
import { exampleIdentity, Sync } from './schema.ts'

export const identityRoutes = (deps: Pick<Deps, 'db' | 'identity' | 'nativeTokens'>) =>
  new Elysia({ name: 'matchday/identity', prefix: '/api/user' }).use(authenticate(deps)).post(
    `/sync-${deps.identity.name}`,
    async ({ caller }) => {
      const { claims } = await deps.identity.userinfo(caller.sessionToken, caller.subject)
      return deps.db.write(tx => syncIdentity(tx, caller, claims))
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
      problems: ['identity_provider_unavailable', 'identity_provider_invalid'],
      examples: {
        answers: {
          200: { identity: exampleIdentity, changed: ['name'], syncedAt: '2026-08-15T18:30:00.000Z' },
        },
      },
    }),
  )
