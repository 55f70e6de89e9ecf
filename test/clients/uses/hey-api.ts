/** Uses of a client that hey-api generates: they must compile, and narrow errors by code. */
import { claimReward, completeOnboarding } from '../generated/hey-api/index.ts'

export async function claim(rewardId: string): Promise<string> {
  const { data, error } = await claimReward({ body: { rewardId } })
  if (data) return data.reward.state
  if (error && 'code' in error && error.code === 'insufficient_points')
    return `${error.missingPoints} points are missing`
  return 'Not now'
}

export const onboard = () => completeOnboarding({ body: { profile: { bio: null } } })
