import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { authenticate } from '../auth/authenticate.ts'
import type { Deps } from '../deps.ts'
import { rawBodyOf } from '../http/body.ts'
import { Nothing, operation } from '../http/operation.ts'
import { DomainError } from '../problems.ts'
import { syncIdentity } from './mirror.ts'
import { exampleIdentity, exampleUserEvent, Sync, UserEvent } from './schema.ts'
import { applyUserEvent, readUserEvent, verifyDelivery } from './webhook.ts'

type IdentityDeps = Pick<Deps, 'config' | 'db' | 'identity' | 'log' | 'nativeTokens' | 'now'>

const syncRoutes = (deps: IdentityDeps) =>
  new Elysia({ name: 'matchday/sync', prefix: '/api/user' }).use(authenticate(deps)).post(
    `/sync-${deps.identity.name}`,
    async ({ caller }) => {
      const { credential, subject } = caller
      // The provider answers its own tokens only.
      if (credential.kind !== 'session') throw new DomainError('session_required')
      const { claims } = await deps.identity.userData(credential.token, subject)
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
      problems: ['session_required', 'identity_provider_unavailable', 'identity_provider_invalid'],
      examples: {
        answers: {
          200: { identity: exampleIdentity, changed: ['name'], syncedAt: '2026-08-15T18:30:00.000Z' },
        },
      },
    }),
  )

const webhookRoutes = ({ config, db, identity, log, now }: IdentityDeps) =>
  new Elysia({ name: 'matchday/webhooks', prefix: '/api/webhooks' })
    // A derive: whoever cannot sign learns nothing of the schema.
    .derive({ as: 'local' }, ({ request, headers }) => {
      const delivery = {
        id: headers['webhook-id'] ?? null,
        timestamp: headers['webhook-timestamp'] ?? null,
        signature: headers['webhook-signature'] ?? null,
        body: rawBodyOf(request),
      }
      verifyDelivery(delivery, config.identity.webhookSecret, now())
      return {}
    })
    .post(
      '/identity',
      async ({ body, status }) => {
        const { event, refused } = readUserEvent(body, identity.name, config.identity.issuer)
        if (refused.length > 0) log.warn({ claims: refused }, 'identity provider: claims left out')
        if (event) await db.write(tx => applyUserEvent(tx, event))
        return status(204, undefined)
      },
      operation({
        id: 'receiveIdentityEvent',
        summary: 'For the identity provider: a user changed',
        description:
          'Standard Webhooks, signed with IDP_WEBHOOK_SECRET. `user.updated` and `user.deleted` are applied in whatever order they come; other types are accepted and ignored.',
        tag: 'Webhooks',
        caller: 'anyone',
        data: 'write',
        body: UserEvent,
        answers: { 204: Type.Void({ description: 'Taken.' }) },
        problems: ['invalid_signature'],
        examples: { body: exampleUserEvent },
      }),
    )

export const identityRoutes = (deps: IdentityDeps) =>
  new Elysia({ name: 'matchday/identity' }).use(syncRoutes(deps)).use(webhookRoutes(deps))
