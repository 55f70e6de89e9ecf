/** Uses of a client that openapi-typescript generates: they must compile, and narrow errors by code. */
import createClient from 'openapi-fetch'
import type { components, paths } from '../generated/openapi-typescript.d.ts'

const api = createClient<paths>({ baseUrl: 'http://localhost:3000' })

export async function claim(rewardId: string): Promise<string> {
  const { data, error } = await api.POST('/api/rewards/claim', { body: { rewardId } })
  if (data) return data.reward.state
  if (error.code === 'insufficient_points') return `${error.missingPoints} points are missing`
  return isRetryable(error.code) ? 'Try again' : error.code
}

/** A check of any error of any operation. */
export const isRetryable = (code: components['schemas']['ProblemCode']) =>
  code === 'overloaded' || code === 'database_busy' || code === 'rate_limited'

/** Members with a default can be left out. */
export const onboard = () => api.POST('/api/user/onboarding', { body: { profile: { bio: null } } })
export const nextPage = (cursor: string) => api.GET('/api/user/points', { params: { query: { cursor } } })
