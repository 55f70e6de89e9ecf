/**
 * Corrects fans with a complete profile but no onboarding, and completed fans without points or enrolment. Each rule lists
 * the affected fans, by id, and corrects one fan through the verbs of the API, at most once.
 * Fans who were erased or deleted by the provider are skipped. Records get the time of the correction.
 */
import { and, eq, gte, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { findEnrolment } from '../../economy/leaderboard/enrolment.ts'
import { canAppend } from '../../economy/points/account.ts'
import { copyScores } from '../../economy/points/groups.ts'
import { joinLeaderboard } from '../../economy/points/join-leaderboard.ts'
import { completeOnboarding, grantOnboarding, onboardingCause } from '../../fan/onboarding/onboarding.ts'
import { findCompletion } from '../../identity/users/completion.ts'
import { type ProfileFieldName, profileField } from '../../identity/users/profile-fields.ts'
import { OPENING_CAUSE } from './import/fans.ts'
import { repairFan } from './repair-fan.ts'

export type OnboardingRule = 'complete' | 'grant' | 'enrol' | 'place'

/** `complete` selects by the creation of the record, other rules by the completion of the onboarding or the enrolment. */
interface Period {
  since?: Date
  before?: Date
}

export interface OnboardingTerms extends Period {
  /** Required fields of a complete profile. The display name and the picture may be the provider's. */
  completeWhen: ProfileFieldName[]
  /** Zero grants none. */
  points: number
  /** Whether to enrol completed fans as well. */
  enrol: boolean
}

export interface Concerned {
  userId: string
  provider: string
  subject: string
  /** Whether the onboarding points were granted before. */
  rewarded: boolean
}

/** `refused`: the fan's points account is full or does not match their ledger entries, and nothing was written. */
export interface Correction {
  outcome: 'corrected' | 'unchanged' | 'refused'
  /** Points granted by this correction. */
  points: number
}

/** Every fan that a rule applies to now, by id, in bounded memory. */
export function listConcerned(
  reader: Reader,
  rule: OnboardingRule,
  terms: OnboardingTerms,
): AsyncGenerator<Concerned> {
  const { users, identities, onboardings, pointsEntries, leaderboardEntries, leaderboardScores } =
    reader.tables
  const { reason, ref } = onboardingCause('')
  const onBoard = and(eq(leaderboardScores.userId, users.id), eq(leaderboardScores.board, 'all'))
  const booked = and(
    eq(pointsEntries.userId, users.id),
    eq(pointsEntries.reason, reason),
    eq(pointsEntries.ref, ref),
  )
  const isCompleted = isNotNull(onboardings.userId)
  // The opening balance of imported fans contains the points of the other system.
  const notImported = sql`not exists (select 1 from ${pointsEntries} opening
    where opening.user_id = ${users.id} and opening.reason = ${OPENING_CAUSE.reason}
      and opening.ref = ${OPENING_CAUSE.ref})`
  const applies = {
    complete: and(
      isNull(onboardings.userId),
      ...terms.completeWhen.map(field => isFilled(reader, field)),
      within(users.createdAt, terms),
    ),
    grant: and(isCompleted, isNull(pointsEntries.id), notImported, within(onboardings.completedAt, terms)),
    enrol: and(isCompleted, isNull(leaderboardEntries.userId), within(onboardings.completedAt, terms)),
    place: and(
      isNotNull(leaderboardEntries.userId),
      isNull(leaderboardEntries.leftAt),
      isNull(leaderboardScores.userId),
      within(leaderboardEntries.enrolledAt, terms),
    ),
  }[rule]
  return eachRow({ userId: users.id }, after =>
    reader
      .select({
        userId: users.id,
        provider: users.provider,
        subject: users.subject,
        rewarded: sql<boolean>`${pointsEntries.id} is not null`.mapWith(Boolean),
      })
      .from(users)
      .leftJoin(identities, eq(identities.userId, users.id))
      .leftJoin(onboardings, eq(onboardings.userId, users.id))
      .leftJoin(pointsEntries, booked)
      .leftJoin(leaderboardEntries, eq(leaderboardEntries.userId, users.id))
      .leftJoin(leaderboardScores, onBoard)
      .where(and(applies, isNull(users.erasedAt), isNull(identities.deletedAt), after)),
  )
}

/** Checks the fan again, since the state may have changed after the fan was listed. */
export async function correctOnboarding(
  tx: Transaction,
  rule: OnboardingRule,
  { userId, provider, subject }: Concerned,
  { points, enrol }: OnboardingTerms,
): Promise<Correction> {
  const grants = points > 0 && (rule === 'complete' || rule === 'grant')
  // Checked first: the batch commits with other fans, so nothing of this fan may be written before the refusal.
  if (grants && !(await canAppend(tx, userId, points))) return { outcome: 'refused', points: 0 }
  if (rule === 'complete') {
    const terms = { points, claims: null, queuedSync: null }
    const onboarding = await completeOnboarding(
      tx,
      { userId, provider, subject, isNew: false },
      { joinLeaderboard: enrol },
      terms,
    )
    if ('alreadyCompleted' in onboarding) return correctionOf(false)
    // Both have the time of this unit of work, unless the points were granted before.
    const { reward, completedAt } = onboarding
    return correctionOf(true, reward?.grantedAt === completedAt ? reward?.points : 0)
  }
  if (rule === 'place') {
    const repair = (await findEnrolment(tx, userId)) ? await repairFan(tx, userId) : null
    return correctionOf(repair?.outcome === 'repaired')
  }
  if (!(await findCompletion(tx, userId))) return correctionOf(false)
  if (rule === 'enrol') {
    const joined = await joinLeaderboard(tx, userId)
    await copyScores(tx, [userId])
    return correctionOf(joined)
  }
  const granted = await grantOnboarding(tx, userId, points)
  return correctionOf(granted > 0, granted)
}

const correctionOf = (corrected: boolean, points = 0): Correction => {
  return { outcome: corrected ? 'corrected' : 'unchanged', points }
}

function isFilled({ tables: { users, identities } }: Reader, field: ProfileFieldName): SQL | undefined {
  const { mirror } = profileField(field)
  return mirror ? or(isNotNull(users[field]), isNotNull(identities[mirror])) : isNotNull(users[field])
}

function within(column: Parameters<typeof gte>[0], { since, before }: Period): SQL | undefined {
  return and(since && gte(column, since), before && lt(column, before))
}
