import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { changePreferences, readOwnPreferences } from './preferences.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

export const preferenceRoutes = (deps: FanDeps) =>
  fans(deps, { prefix: '/api/user/notifications', tag: 'Messages' })
    .get(
      '',
      ({ caller }) => readOwnPreferences(deps.db.read, caller),
      operation({
        id: 'readNotificationPreferences',
        summary: 'Read which messages you get',
        description:
          'By category: whether devices and the inbox get them. The defaults until you change them.',
        responses: { 200: schema.NotificationPreferences },
        examples: { 200: schema.examplePreferences },
      }),
    )
    .patch(
      '',
      ({ body, write }) => write((tx, fan) => changePreferences(tx, fan, body)),
      operation({
        id: 'changeNotificationPreferences',
        whenSuspended: 'allowed',
        summary: 'Change which messages you get',
        description:
          'Decides about later messages. `account` and `orders` cannot be switched off in the inbox. An omitted member keeps its value. Without the consent of a guardian that they need, fans can only switch messages off, and set quiet hours if they have none.',
        guardianConsent: 'partly',
        body: schema.NotificationPreferencesChange,
        responses: { 200: schema.NotificationPreferences },
        problems: thrownBy.changePreferences,
        examples: {
          body: { social: { push: false }, quiet: { from: '22:00', to: '07:30' }, timeZone: 'Europe/London' },
          200: schema.examplePreferences,
        },
      }),
    )
