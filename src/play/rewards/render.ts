/**
 * A reward as JSON text, byte for byte equal to the JSON of `presentReward`. What is equal for all fans is rendered once for
 * each row of the cached catalogue and each language. Without it, `GET /api/rewards` with twenty rewards takes 342,000 instructions, not
 * 185,000; without `unlocked` alone 244,000. To remove it, render `presentReward`.
 */
import { createRenderings } from '../../core/texts.ts'
import { type OwnFacts, presentOwn, presentReward, presentShared, type RewardRow } from './present.ts'

interface Rendered {
  /** The members that are equal for all fans, without the closing brace. */
  shared: string
  /** The whole reward for a fan who can claim it: the most frequent case. */
  unlocked: string
}

const renderings = createRenderings<Rendered>()

/** `reward` must be active and a row of the cached catalogue. Its JSON is cached as long as the row. */
export function renderReward(reward: RewardRow, facts: OwnFacts, now: Date): string {
  const { shared, unlocked } = renderings(reward, () => renderShared(reward, now))
  const { own, points, unmet = [] } = facts
  if (!own && points >= reward.pointsRequired && unmet.length === 0) return unlocked
  return shared + JSON.stringify(presentOwn(reward, facts, now)).slice(1)
}

function renderShared(reward: RewardRow, now: Date): Rendered {
  const shared = `${JSON.stringify(presentShared(reward, now)).slice(0, -1)},`
  const unlocked = JSON.stringify(
    presentReward(reward, { own: undefined, points: reward.pointsRequired }, now),
  )
  return { shared, unlocked }
}
