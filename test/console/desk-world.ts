/** Fans with codes, for tests of the desk. */
import { namedFan } from '../identity/relations/relations-world.ts'
import type { World } from '../support/world.ts'

/** A fan with a redeemed reward. */
export async function redeemedCode(world: World) {
  const fan = await namedFan(world)
  const rewardId = await world.reward({ pointsRequired: 0, title: 'Home scarf' })
  await fan.post('/api/rewards/claim', { rewardId })
  const { reward } = (await fan.post('/api/rewards/redeem', { rewardId })).body
  return { fan, rewardId, code: String(reward.redemptionCode) }
}
