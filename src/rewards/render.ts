/** A reward as JSON text, byte for byte what `presentReward` makes. */
import { presentReward, type RewardRow, type UserRewardRow } from './present.ts'

/** For rewards that were not claimed and are active: what comes before and after the fan's own part. */
interface Rendered {
  /** Up to and with `state`. */
  head: string
  /** Of a fan who has the points. */
  unlocked: string
}

const known = new WeakMap<RewardRow, Rendered>()

/** `reward` is a row of the catalogue's view: what is rendered of it is kept as long as that is. It must be active. */
export function renderReward(
  reward: RewardRow,
  own: UserRewardRow | undefined,
  points: number,
  now: Date,
): string {
  if (own) return JSON.stringify(presentReward(reward, own, points, now))
  const rendered = known.get(reward) ?? renderShared(reward, now)
  const { pointsRequired, stockRemaining } = reward
  if (points >= pointsRequired) return rendered.unlocked
  const blockedBy = stockRemaining === 0 ? '"insufficient_points","out_of_stock"' : '"insufficient_points"'
  return `${rendered.head},"unlocked":false,"claimable":false,"missingPoints":${pointsRequired - points},"blockedBy":[${blockedBy}],"claimedAt":null,"redeemedAt":null,"redemptionCode":null}`
}

function renderShared(reward: RewardRow, now: Date): Rendered {
  const unlocked = JSON.stringify(presentReward(reward, undefined, reward.pointsRequired, now))
  const rendered = { head: unlocked.slice(0, unlocked.lastIndexOf(',"unlocked":')), unlocked }
  known.set(reward, rendered)
  return rendered
}
