/** Onboarding: completed once, rewarded at most once, enrolled at most once; however often it is asked for. */
import type { Reader, Transaction } from '../../db/index.ts'
import type { Caller } from '../caller.ts'
import type { IdentityClaims } from '../identity/claims.ts'
import { type Deferral, deferSync } from '../identity/deferred-sync.ts'
import { findMirror, mirrorIdentity } from '../identity/mirror.ts'
import { ensureUser, findUser } from '../identity/users.ts'
import { findEnrolment } from '../leaderboard/enrolment.ts'
import { joinLeaderboard } from '../points/join-leaderboard.ts'
import { appendEntry, findEntry } from '../points/ledger.ts'
import { findCompletion, recordCompletion } from './completion.ts'
import { changeProfile } from './profile.ts'
import type { ProfileChange } from './profile-rules.ts'

export interface CompleteOnboarding {
  profile?: ProfileChange
  /** Default true. */
  joinLeaderboard?: boolean
}

/** What the provider said, or how to ask it later; neither when it need not be asked. */
export interface IdentityTerms {
  claims: IdentityClaims | null
  deferral: Deferral | null
}

export interface OnboardingTerms extends IdentityTerms {
  /** Points granted at completion; 0 grants none. */
  points: number
}

/** The one cause under which the onboarding reward is booked. */
export const onboardingCause = (userId: string) => ({
  userId,
  reason: 'onboarding' as const,
  ref: 'onboarding',
})

export async function readOnboarding(reader: Reader, caller: Caller) {
  return presentOnboarding(reader, (await findUser(reader, caller))?.id)
}

/**
 * A repeat changes nothing and answers the first completion with `alreadyCompleted`.
 * @throws DomainError as `changeProfile`
 */
export async function completeOnboarding(
  tx: Transaction,
  caller: Caller,
  { profile, joinLeaderboard: join = true }: CompleteOnboarding,
  { points, claims, deferral }: OnboardingTerms,
) {
  const { user } = await ensureUser(tx, caller)
  if (claims) await mirrorIdentity(tx, user.id, claims)
  else if (deferral) await deferSync(tx, user.id, deferral)
  if (!(await recordCompletion(tx, user.id))) {
    return { ...(await presentOnboarding(tx, user.id)), alreadyCompleted: true as const }
  }
  if (profile) await changeProfile(tx, user, profile, '/profile')
  await grantOnboarding(tx, user.id, points)
  if (join) await joinLeaderboard(tx, user.id)
  return presentOnboarding(tx, user.id)
}

/** The one grant for onboarding, at most once a fan. Answers the points that this call booked: zero when it booked none. */
export async function grantOnboarding(tx: Transaction, userId: string, points: number): Promise<number> {
  if (points === 0) return 0
  const { outcome } = await appendEntry(tx, { ...onboardingCause(userId), delta: points })
  return outcome === 'booked' ? points : 0
}

async function presentOnboarding(reader: Reader, userId: string | undefined) {
  const completedAt = userId ? await findCompletion(reader, userId) : null
  const reward = userId ? await findEntry(reader, onboardingCause(userId)) : undefined
  const enrolledAt = userId ? await findEnrolment(reader, userId) : null
  const mirror = userId ? await findMirror(reader, userId) : undefined
  return {
    state: completedAt ? ('completed' as const) : ('not_started' as const),
    completedAt: completedAt?.toISOString() ?? null,
    reward: reward ? { points: reward.delta, grantedAt: reward.createdAt.toISOString() } : null,
    leaderboard: { enrolled: enrolledAt !== null, enrolledAt: enrolledAt?.toISOString() ?? null },
    identitySync: mirror?.syncedAt ? ('synced' as const) : ('deferred' as const),
  }
}
