/** A reward as JSON text, byte for byte what `presentReward` makes. */
import { type OwnReward, presentOwn, presentReward, presentShared, type RewardRow } from './present.ts'

/** Of an active reward. */
interface Rendered {
  /** What all see, up to where a fan's own part goes on. */
  shared: string
  /** Whole, for a fan who has the points and has not claimed it: nearly all of a list. */
  unlocked: string
}

const known = new WeakMap<RewardRow, Rendered>()

/** `reward` is a row of the catalogue's view: what is rendered of it is kept as long as that is. It must be active. */
export function renderReward(
  reward: RewardRow,
  own: OwnReward | undefined,
  points: number,
  now: Date,
): string {
  const { shared, unlocked } = known.get(reward) ?? renderShared(reward, now)
  if (!own && points >= reward.pointsRequired) return unlocked
  return shared + JSON.stringify(presentOwn(reward, own, points, now)).slice(1)
}

function renderShared(reward: RewardRow, now: Date): Rendered {
  const shared = `${JSON.stringify(presentShared(reward, now)).slice(0, -1)},`
  const unlocked = JSON.stringify(presentReward(reward, undefined, reward.pointsRequired, now))
  const rendered = { shared, unlocked }
  known.set(reward, rendered)
  return rendered
}
