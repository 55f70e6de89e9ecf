/** Onboarding: completes once, and grants points and enrols at most once, also if it is requested again. */
import { sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { type Caller, NOBODY, type Viewer } from '../../core/caller.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { enrolmentOf } from '../../economy/leaderboard/enrolment.ts'
import type { Cause } from '../../economy/ledgers/reasons.ts'
import { joinLeaderboard, joinWithFirstEntry } from '../../economy/points/join-leaderboard.ts'
import { appendEntry, entryOf, openAccount } from '../../economy/points/ledger.ts'
import { completionOf, recordCompletion } from '../../identity/users/completion.ts'
import { enqueueSync, type QueuedSync } from '../../identity/users/deferred-sync.ts'
import { createMirror, mirrorIdentity, mirrorOf } from '../../identity/users/mirror.ts'
import { activeUser, findSignIn } from '../../identity/users/users.ts'
import type { IdentityClaims } from '../../platform/identity-provider/claims.ts'
import { settingsOf } from '../../platform/settings/settings.ts'
import { changeOwnProfile } from '../profile/profile.ts'
import type { CompleteOnboarding } from '../profile/schema.ts'
import { ONBOARDED } from '../referrals/event-reader.ts'
import { acceptReferral, completeReferral, invitationOf, presentInvitation } from '../referrals/referrals.ts'

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
export const onboardingCause = (userId: string) =>
  ({ userId, reason: 'onboarding', ref: 'onboarding' }) as const

/**
 * Completes the onboarding. A repetition changes nothing and returns the first completion with `alreadyCompleted`.
 * @throws DomainError as `changeOwnProfile`
 */
export async function completeOnboarding(
  tx: Transaction,
  caller: Caller,
  { profile, joinLeaderboard: join = true, referralCode }: typeof CompleteOnboarding.static,
  { points, claims, queuedSync }: OnboardingTerms,
) {
  const { userId, isNew } = caller
  let isSynced = false
  if (claims && isNew) isSynced = await createMirror(tx, userId, claims)
  else if (claims || queuedSync) {
    const signInId = (await findSignIn(tx, caller))?.id ?? userId
    if (claims) await mirrorIdentity(tx, signInId, claims)
    else if (queuedSync) await enqueueSync(tx, signInId, queuedSync)
  }
  if (!(await recordCompletion(tx, userId))) {
    return { ...(await readOnboarding(tx, caller)), alreadyCompleted: true as const }
  }
  const granted = isNew
    ? await startLedger(tx, userId, { points, join })
    : await grantOnboarding(tx, userId, points)
  if (!isNew && join) await joinLeaderboard(tx, userId)
  if (profile) await changeOwnProfile(tx, caller, profile, '/profile')
  const referral = referralCode === undefined ? null : await acceptReferral(tx, userId, referralCode)
  const recorded = await recordEvent(tx, { userId, type: ONBOARDED, data: { points: granted } })
  if (referral && recorded && (await settingsOf(tx)).referralCompletes === ONBOARDED)
    await completeReferral(tx, userId, recorded.event)
  if (!isNew) return readOnboarding(tx, caller)
  const now = tx.now()
  return presentOnboarding({
    completedAt: now,
    points: granted || null,
    grantedAt: granted ? now : null,
    enrolledAt: join ? now : null,
    syncedAt: isSynced ? now : null,
    referral,
  })
}

/** Grants the points and enrols, for a user record of this unit of work: it has nothing from before, which would have to be read. */
async function startLedger(
  tx: Transaction,
  userId: string,
  { points, join }: { points: number; join: boolean },
): Promise<number> {
  if (points > 0) {
    const entry = await openAccount(tx, { ...onboardingCause(userId), delta: points })
    if (join) await joinWithFirstEntry(tx, userId, entry)
  } else if (join) await joinLeaderboard(tx, userId)
  return points
}

/** Grants the onboarding points, at most once per fan. Returns the points that this call granted. */
export async function grantOnboarding(tx: Transaction, userId: string, points: number): Promise<number> {
  if (points === 0) return 0
  const { outcome } = await appendEntry(tx, { ...onboardingCause(userId), delta: points })
  return outcome === 'booked' ? points : 0
}

/** The state of the onboarding, also for a fan without a user record. */
export async function readOnboarding(reader: Reader, { userId }: Viewer) {
  if (userId === NOBODY) return presentOnboarding(NOTHING)
  const [row] = await selectOnboarding(reader, onboardingCause(userId))
  if (!row) return presentOnboarding(NOTHING)
  const { inviterId, ...onboarding } = row
  return presentOnboarding({ ...onboarding, referral: await presentInvitation(reader, inviterId) })
}

const NOTHING = {
  completedAt: null,
  points: null,
  grantedAt: null,
  enrolledAt: null,
  syncedAt: null,
  referral: null,
}

function presentOnboarding({ completedAt, points, grantedAt, enrolledAt, syncedAt, referral }: Shown) {
  return {
    state: completedAt ? ('completed' as const) : ('not_started' as const),
    completedAt: completedAt?.toISOString() ?? null,
    reward: points !== null && grantedAt ? { points, grantedAt: grantedAt.toISOString() } : null,
    leaderboard: { enrolled: enrolledAt !== null, enrolledAt: enrolledAt?.toISOString() ?? null },
    identitySync: syncedAt ? ('synced' as const) : ('deferred' as const),
    referral,
  }
}

const selectOnboarding = prepared((reader: Reader, cause: Cause) => {
  const user = activeUser(reader, cause.userId).as('active_user')
  const completion = completionOf(reader, cause.userId).as('completion')
  const grant = entryOf(reader, cause).as('grant')
  const enrolment = enrolmentOf(reader, cause.userId).as('enrolment')
  const mirror = mirrorOf(reader, cause.userId).as('mirror')
  const invitation = invitationOf(reader, cause.userId).as('invitation')
  return reader
    .select({
      completedAt: completion.completedAt,
      points: grant.delta,
      grantedAt: grant.createdAt,
      enrolledAt: enrolment.enrolledAt,
      syncedAt: mirror.syncedAt,
      inviterId: invitation.inviterId,
    })
    .from(user)
    .leftJoin(completion, sql`true`)
    .leftJoin(grant, sql`true`)
    .leftJoin(enrolment, sql`true`)
    .leftJoin(mirror, sql`true`)
    .leftJoin(invitation, sql`true`)
})

type Shown = Omit<Awaited<ReturnType<typeof selectOnboarding>>[number], 'inviterId'> & {
  referral: Awaited<ReturnType<typeof presentInvitation>>
}
