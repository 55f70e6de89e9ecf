import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import type { AppSources } from '../../core/sources.ts'
import { Type } from '../../core/typebox.ts'
import type { Config } from '../../platform/config/config.ts'
import { signed } from '../../platform/http/contract/group.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import type { IdentityProvider } from '../../platform/identity-provider/provider.ts'
import { thrownBy } from './problems.generated.ts'
import { exampleUserEvent, UserEvent } from './schema.ts'
import { applyUserEvent, findEventErrors, readUserEvent, verifyDelivery } from './webhook.ts'

interface IdentityDeps {
  config: Config
  db: Database
  identity: IdentityProvider
  log: Logger
  now: AppSources['now']
}

export const identityRoutes = ({ config, db, log, now }: IdentityDeps) =>
  signed({ prefix: '/api/webhooks', tag: 'Webhooks' }, (headers, body) => {
    const delivery = {
      id: headers.get('webhook-id'),
      timestamp: headers.get('webhook-timestamp'),
      signature: headers.get('webhook-signature'),
      body,
    }
    verifyDelivery(delivery, config.identity.webhookSecret, now())
    return {}
  }).post(
    '/identity',
    async ({ body, status }) => {
      const { event, refused } = readUserEvent(body, config.identity, now())
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
        'Standard Webhooks, signed with IDP_WEBHOOK_SECRET. `user.updated` and `user.deleted` can arrive in any order; other types are accepted and ignored.',
      body: UserEvent,
      findErrors: ({ body }) => findEventErrors(body, config.identity.issuer),
      responses: { 204: Type.Void({ description: 'Accepted.' }) },
      problems: thrownBy.receiveIdentityEvent,
      examples: { body: exampleUserEvent },
    }),
  )
