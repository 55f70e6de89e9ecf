import { Closed } from '../../core/schemas.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import type { ResponseCache } from '../../platform/cache/response-cache.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { claimQuest } from './claim.ts'
import { listQuests } from './list.ts'
import { thrownBy } from './problems.generated.ts'
import { ClaimQuest, exampleClaimed, exampleQuest, QuestResult, Quests } from './schema.ts'

export const questsRoutes = (deps: FanDeps & { cache: ResponseCache }) =>
  fans(deps, { prefix: '/api/quests', tag: 'Quests' })
    .get(
      '',
      ({ caller }) => listQuests({ read: deps.db.read, cache: deps.cache }, caller),
      operation({
        id: 'listQuests',
        summary: 'List your quests',
        description:
          'Quests, achievements and streaks with the caller’s progress in the current period, and earlier periods with an unclaimed reward.',
        conditional: true,
        query: Closed(LanguageQuery),
        responses: { 200: Quests },
        examples: { 200: { quests: [exampleQuest] } },
      }),
    )
    .post(
      '/claim',
      ({ body, write }) => write((tx, fan) => claimQuest(tx, fan, body)),
      operation({
        id: 'claimQuest',
        limit: 'claims',
        summary: 'Claim the reward of a completed quest',
        description:
          'Gives the reward of a completed period once, even after the period has ended. Rewards with `claim: auto` are given when the period is completed.',
        query: Closed(LanguageQuery),
        body: ClaimQuest,
        responses: { 200: QuestResult },
        problems: thrownBy.claimQuest,
        examples: { body: { questId: 'shop-week' }, 200: { quest: exampleClaimed } },
      }),
    )
