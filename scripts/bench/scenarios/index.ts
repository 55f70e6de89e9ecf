import type { Scenario } from '../scenario.ts'
import { claim } from './claim.ts'
import { growth } from './growth.ts'
import { leaderboard } from './leaderboard.ts'
import { memory } from './memory.ts'
import { mixed } from './mixed.ts'
import { onboarding } from './onboarding.ts'
import { purchase } from './purchase.ts'
import { dashboard, leaderboardPage, packs, profile, rewardsWarm } from './reads.ts'
import { rewardsNew } from './rewards-new.ts'
import { startUp } from './start-up.ts'
import { verification } from './verification.ts'
import { workers } from './workers.ts'

/** In the order in which they run. */
export const scenarios: Scenario[] = [
  startUp,
  packs,
  rewardsWarm,
  rewardsNew,
  verification,
  profile,
  dashboard,
  leaderboardPage,
  leaderboard,
  claim,
  onboarding,
  purchase,
  mixed,
  growth,
  memory,
  workers,
]
