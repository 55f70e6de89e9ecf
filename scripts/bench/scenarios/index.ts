import type { Scenario } from '../scenario.ts'
import { crowdClaims, crowdReads } from './crowd.ts'
import { events } from './events.ts'
import { growth } from './growth.ts'
import { herd } from './herd.ts'
import { hotRows } from './hot-rows.ts'
import { leaderboard } from './leaderboard.ts'
import { memory } from './memory.ts'
import { crowdMixed, mixed } from './mixed.ts'
import { onboarding } from './onboarding.ts'
import { packs } from './packs.ts'
import { purchase } from './purchase.ts'
import { rewardsNew } from './rewards-new.ts'
import { scale } from './scale.ts'
import { settlement } from './settlement.ts'
import { startUp } from './start-up.ts'
import { stream } from './stream.ts'
import { verification } from './verification.ts'
import { webhooks } from './webhooks.ts'

/** All scenarios in execution order. */
export const scenarios: Scenario[] = [
  startUp,
  packs,
  ...crowdReads,
  crowdClaims,
  crowdMixed,
  events,
  herd,
  rewardsNew,
  verification,
  leaderboard,
  onboarding,
  purchase,
  mixed,
  growth,
  memory,
  stream,
  settlement,
  webhooks,
  scale,
  hotRows,
]
