/** Onboarding: completes once, grants points at most once and enrols at most once, even if it is requested again. */
import { and, eq, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import type { Caller } from '../core/caller.ts'
import type { IdentityClaims } from '../identity-provider/claims.ts'
import { joinLeaderboard } from '../points/join-leaderboard.ts'
import { appendEntry } from '../points/ledger.ts'
import { changeProfile } from '../profile/profile.ts'
import type { CompleteOnboarding } from '../profile/schema.ts'
import { recordCompletion } from '../users/completion.ts'
import { enqueueSync, type QueuedSync } from '../users/deferred-sync.ts'
import { mirrorIdentity } from '../users/mirror.ts'
import { ensureUser } from '../users/users.ts'

/** The provider's data, or the sync to enqueue. Both null if no sync is needed or possible. */
export interface IdentityTerms {
  claims: IdentityClaims | null
  queuedSync: QueuedSync | null
}

export interface OnboardingTerms extends IdentityTerms {
  /** Points granted at completion; 0 grants none. */
  points: number
}

/** The reason and reference of the ledger entry that grants the onboarding points. */
export const onboardingCause = (userId: string) => ({
  userId,
  reason: 'onboarding' as const,
  ref: 'onboarding',
})

/**
 * Completes the onboarding. A repetition changes nothing and returns the first completion with `alreadyCompleted`.
 * @throws DomainError as `changeProfile`
 */
export async function completeOnboarding(
  tx: Transaction,
  caller: Caller,
  { profile, joinLeaderboard: join = true }: typeof CompleteOnboarding.static,
  { points, claims, queuedSync }: OnboardingTerms,
) {
  const { user } = await ensureUser(tx, caller)
  if (claims) await mirrorIdentity(tx, user.id, claims)
  else if (queuedSync) await enqueueSync(tx, user.id, queuedSync)
  if (!(await recordCompletion(tx, user.id))) {
    return { ...(await readOnboarding(tx, { userId: user.id })), alreadyCompleted: true as const }
  }
  if (profile) await changeProfile(tx, user.id, profile, '/profile')
  await grantOnboarding(tx, user.id, points)
  const onboarding = await readOnboarding(tx, { userId: user.id })
  // Last, because all new fans share rows of the rank index, which PostgreSQL locks until the commit.
  if (!join || !(await joinLeaderboard(tx, user.id))) return onboarding
  return { ...onboarding, leaderboard: { enrolled: true, enrolledAt: tx.now().toISOString() } }
}
completeOnboarding.problems = changeProfile.problems

/** Grants the onboarding points, at most once per fan. Returns the points that this call granted. */
export async function grantOnboarding(tx: Transaction, userId: string, points: number): Promise<number> {
  if (points === 0) return 0
  const { outcome } = await appendEntry(tx, { ...onboardingCause(userId), delta: points })
  return outcome === 'booked' ? points : 0
}

/** The state of the onboarding, also for a fan without a user record. */
export async function readOnboarding(reader: Reader, { userId }: Pick<Caller, 'userId'>) {
  const [row] = userId === undefined ? [] : await selectOnboarding(reader, onboardingCause(userId))
  const {
    completedAt = null,
    enrolledAt = null,
    syncedAt = null,
    points = null,
    grantedAt = null,
  } = row ?? {}
  return {
    state: completedAt ? ('completed' as const) : ('not_started' as const),
    completedAt: completedAt?.toISOString() ?? null,
    reward: points !== null && grantedAt ? { points, grantedAt: grantedAt.toISOString() } : null,
    leaderboard: { enrolled: enrolledAt !== null, enrolledAt: enrolledAt?.toISOString() ?? null },
    identitySync: syncedAt ? ('synced' as const) : ('deferred' as const),
  }
}

const selectOnboarding = prepared(
  (reader: Reader, { userId, reason, ref }: { userId: string; reason: string; ref: string }) => {
    const { users, onboardings, pointsEntries, leaderboardEntries, identities } = reader.tables
    const takesPart = and(eq(leaderboardEntries.userId, users.id), isNull(leaderboardEntries.leftAt))
    const isGrant = and(
      eq(pointsEntries.userId, users.id),
      eq(pointsEntries.reason, reason),
      eq(pointsEntries.ref, ref),
    )
    return reader
      .select({
        completedAt: onboardings.completedAt,
        points: pointsEntries.delta,
        grantedAt: pointsEntries.createdAt,
        enrolledAt: leaderboardEntries.enrolledAt,
        syncedAt: identities.syncedAt,
      })
      .from(users)
      .leftJoin(onboardings, eq(onboardings.userId, users.id))
      .leftJoin(pointsEntries, isGrant)
      .leftJoin(leaderboardEntries, takesPart)
      .leftJoin(identities, eq(identities.userId, users.id))
      .where(and(eq(users.id, userId), isNull(users.erasedAt)))
  },
)
