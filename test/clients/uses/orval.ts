/** Uses of a client that orval generates: they must compile, and narrow errors by status and code. */
import { claimReward, completeOnboarding } from '../generated/orval.ts'

export async function claim(rewardId: string): Promise<string> {
  const { status, data } = await claimReward({ rewardId })
  if (status === 200) return data.reward.state
  if (status === 409 && data.code === 'insufficient_points') return `${data.missingPoints} points are missing`
  return data.code
}

export const onboard = () => completeOnboarding({ profile: { bio: null } })
