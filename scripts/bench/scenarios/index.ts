import type { Scenario } from '../scenario.ts'
import { crowdClaims, crowdReads } from './crowd.ts'
import { growth } from './growth.ts'
import { herd } from './herd.ts'
import { leaderboard } from './leaderboard.ts'
import { memory } from './memory.ts'
import { crowdMixed, mixed } from './mixed.ts'
import { onboarding } from './onboarding.ts'
import { packs } from './packs.ts'
import { purchase } from './purchase.ts'
import { rewardsNew } from './rewards-new.ts'
import { startUp } from './start-up.ts'
import { verification } from './verification.ts'
import { workers } from './workers.ts'

/** All scenarios in execution order. */
export const scenarios: Scenario[] = [
  startUp,
  packs,
  ...crowdReads,
  crowdClaims,
  crowdMixed,
  herd,
  rewardsNew,
  verification,
  leaderboard,
  onboarding,
  purchase,
  mixed,
  growth,
  memory,
  workers,
]
