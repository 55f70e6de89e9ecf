import { Type } from '@sinclair/typebox'
import type { Logger } from 'pino'
import type { Database } from '../../db/index.ts'
import type { Config } from '../config/config.ts'
import type { AppSources } from '../core/sources.ts'
import { anyone } from '../http/contract/group.ts'
import { operation } from '../http/contract/operation.ts'
import { rawBodyOf } from '../http/edge/body.ts'
import type { IdentityProvider } from '../identity-provider/provider.ts'
import { exampleUserEvent, UserEvent } from './schema.ts'
import { applyUserEvent, findEventErrors, readUserEvent, verifyDelivery } from './webhook.ts'

interface IdentityDeps {
  config: Config
  db: Database
  identity: IdentityProvider
  log: Logger
  now: AppSources['now']
}

export const identityRoutes = ({ config, db, identity, log, now }: IdentityDeps) =>
  anyone({ prefix: '/api/webhooks', tag: 'Webhooks' })
    // A derive runs before validation, so that an unsigned request does not disclose the schema.
    .derive({ as: 'local' }, ({ request }) => {
      const delivery = {
        id: request.headers.get('webhook-id'),
        timestamp: request.headers.get('webhook-timestamp'),
        signature: request.headers.get('webhook-signature'),
        body: rawBodyOf(request),
      }
      verifyDelivery(delivery, config.identity.webhookSecret, now())
      return {}
    })
    .post(
      '/identity',
      async ({ body, status }) => {
        const { event, refused } = readUserEvent(body, identity.name, now())
        if (refused.length > 0) log.warn({ claims: refused }, 'identity provider: claims left out')
        if (event) await db.write(tx => applyUserEvent(tx, event))
        return status(204, undefined)
      },
      operation({
        id: 'receiveIdentityEvent',
        open: true,
        idempotencyKey: 'none',
        summary: 'For the identity provider: a user changed',
        description:
          'Standard Webhooks, signed with IDP_WEBHOOK_SECRET. `user.updated` and `user.deleted` are applied in whatever order they come; other types are accepted and ignored.',
        body: UserEvent,
        findErrors: ({ body }) => findEventErrors(body, config.identity.issuer),
        responses: { 204: Type.Void({ description: 'Accepted.' }) },
        problems: ['invalid_signature'],
        examples: { body: exampleUserEvent },
      }),
    )
