import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import type { PurchaseKind } from './kind.ts'
import { ChangeLimits, exampleLimits, OwnLimits } from './limit-schema.ts'
import { readLimits, setLimits } from './own-limits.ts'
import { thrownBy } from './problems.generated.ts'

type LimitDeps = FanDeps & { purchaseKinds: readonly PurchaseKind[] }

export const ownLimitRoutes = (deps: LimitDeps, { purchaseKinds: kinds } = deps) =>
  fans(deps, { prefix: '/api/user/limits', tag: 'User' })
    .get(
      '',
      ({ caller }) => readLimits(deps.db.read, kinds, caller),
      operation({
        id: 'readOwnLimits',
        summary: 'Read your own limits',
        description: 'The limit that you have set for your spending, what counts against it, and your pause.',
        responses: { 200: OwnLimits },
        examples: { 200: exampleLimits },
      }),
    )
    .patch(
      '',
      ({ body, write }) => write((tx, fan) => setLimits(tx, kinds, fan, body), { toChange: true }),
      operation({
        id: 'setOwnLimits',
        whenSuspended: 'allowed',
        summary: 'Limit your spending, or pause it',
        description:
          'Holds for packs, orders and top-ups that you start later. What is stricter holds at once, what is not holds after 24 hours. Staff see it and cannot change it. An omitted member keeps its value. Without the consent of a guardian that they need, fans can only be stricter.',
        guardianConsent: 'partly',
        body: ChangeLimits,
        responses: { 200: OwnLimits },
        problems: thrownBy.setLimits,
        examples: { body: { spending: exampleLimits.spending }, 200: exampleLimits },
      }),
    )
