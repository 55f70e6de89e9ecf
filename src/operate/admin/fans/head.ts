/** A fan at a glance. */
import { desc, eq, sql } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { prepared, preparedRow } from '../../../../db/prepared.ts'
import { DomainError } from '../../../core/problems.ts'
import { readCashBalances } from '../../../economy/cash/balances.ts'
import { rankOf } from '../../../economy/leaderboard/ranked-entry.ts'
import { readBalance } from '../../../economy/points/account.ts'
import { readHeld } from '../../../economy/points/holds.ts'
import { hasAccepted, readTerms } from '../../../identity/public-text/terms.ts'
import { readPrivacy } from '../../../identity/relations/privacy.ts'
import { type Decision, listDecisions, sanctionsInForce } from '../../../identity/sanctions/decisions.ts'
import { findCompletion } from '../../../identity/users/completion.ts'
import { findMirror, isSyncQueued } from '../../../identity/users/mirror.ts'
import { userProblems } from '../../../identity/users/problems.ts'
import { findUserById, type User } from '../../../identity/users/users.ts'
import { findLimits, limitsAt } from '../../../play/purchases/own-limits.ts'
import { countOf, owesRefund } from './counts.ts'
import { type PersonalAccess, shownEmail, shownName } from './personal.ts'
import type { FanHead } from './schema.ts'
import { statesOf } from './states.ts'

export interface HeadAccess extends PersonalAccess {
  /** Whether the role sees who decided a sanction. */
  moderation: boolean
  /** Whether the role sees amounts of money. */
  money: boolean
}

type Head = typeof FanHead.static

/** Also returns an erased fan, marked as such. @throws DomainError `fan_not_found` */
export async function requireFan(reader: Reader, fanId: string): Promise<User> {
  const user = await findUserById(reader, fanId)
  if (!user) throw new DomainError(userProblems.fan_not_found, { detail: 'No fan has this id.' })
  return user
}

/** @throws DomainError `fan_not_found` */
export async function readFanHead(
  reader: Reader,
  fanId: string,
  { personal, moderation, money }: HeadAccess,
): Promise<Head> {
  const user = await requireFan(reader, fanId)
  const now = reader.now()
  const { provider, subject, erasedAt } = user
  const mirror = await findMirror(reader, fanId)
  const found = await selectPlace(reader, { fanId, provider, subject })
  const counts = await countOf(reader, { fanId, provider, subject, now })
  const decisions = await listDecisions(reader, fanId)
  const states = statesOf({ ...user, deletedAt: mirror?.deletedAt ?? null }, now)
  const iso = (at: Date | null | undefined) => at?.toISOString() ?? null
  const { itemsKept = 0, itemsReceived = 0, tradesFrom = 0, tradesTo = 0, ...rest } = counts ?? NO_COUNTS
  return {
    id: fanId,
    provider,
    subject: erasedAt ? null : subject,
    handle: user.handle,
    displayName: user.displayName,
    avatarUrl: user.avatarUrl,
    bio: user.bio,
    country: user.country,
    locale: user.locale,
    favoriteTeam:
      user.favoriteTeamId === null
        ? null
        : { id: user.favoriteTeamId, name: found?.teamName ?? user.favoriteTeamId },
    identity: {
      name: shownName(mirror?.name ?? null, personal),
      email: shownEmail(mirror?.email ?? null, personal),
      emailVerified: mirror?.emailVerified ?? null,
      syncedAt: iso(mirror?.syncedAt),
    },
    createdAt: user.createdAt.toISOString(),
    erasedAt: iso(erasedAt),
    lastSeenAt: iso(latestOf(found?.seenAt, erasedAt ? null : mirror?.syncedAt)),
    lastEventAt: iso((await selectNewest(reader, fanId))?.recordedAt),
    states,
    mergedIntoId: user.mergedIntoId,
    mergedIds: (await selectMerged(reader, fanId)).map(({ id }) => id),
    points: { ...(await readBalance(reader, fanId)), held: await readHeld(reader, fanId, now) },
    cash: money ? await readCashBalances(reader, fanId) : null,
    limits: money ? limitsAt(await findLimits(reader, fanId), now) : null,
    leaderboard: {
      rank: found?.rank ?? null,
      enrolledAt: iso(found?.enrolledAt),
      leftAt: iso(found?.leftAt),
    },
    onboardingCompletedAt: iso(await findCompletion(reader, fanId)),
    privacy: await readPrivacy(reader, { userId: fanId }),
    sanctions: presentSanctions(decisions, now, moderation),
    blockers: await findBlockers(reader, user, states),
    counts: { ...rest, items: itemsKept + itemsReceived, openTrades: tradesFrom + tradesTo },
  }
}

const NO_COUNTS = {
  events: 0,
  rewardsClaimed: 0,
  rewardsRedeemed: 0,
  packsSealed: 0,
  packsOpened: 0,
  itemsKept: 0,
  itemsReceived: 0,
  questsCompleted: 0,
  orders: 0,
  tradesFrom: 0,
  tradesTo: 0,
  following: 0,
  followers: 0,
  devices: 0,
  openReports: 0,
  openAppeals: 0,
}

const latestOf = (one: Date | null | undefined, other: Date | null | undefined) =>
  one && (!other || one > other) ? one : (other ?? null)

const GLOBAL_BOARD = 'all'

const selectPlace = preparedRow(
  (reader: Reader, { fanId, provider, subject }: { fanId: string; provider: string; subject: string }) => {
    const { users, teams, leaderboardEntries: entries, nativeSessions: sessions } = reader.tables
    const seen = sql`(select max(${sessions.rotatedAt}) from ${sessions}
      where ${sessions.provider} = ${provider} and ${sessions.subject} = ${subject})`
    return reader
      .select({
        teamName: teams.name,
        enrolledAt: entries.enrolledAt,
        leftAt: entries.leftAt,
        rank: rankOf(reader, GLOBAL_BOARD, fanId),
        seenAt: sql<Date | null>`${seen}`.mapWith(sessions.rotatedAt),
      })
      .from(users)
      .leftJoin(teams, eq(teams.id, users.favoriteTeamId))
      .leftJoin(entries, eq(entries.userId, users.id))
      .where(eq(users.id, fanId))
  },
)

const selectNewest = preparedRow((reader: Reader, fanId: string) => {
  const { events } = reader.tables
  return reader
    .select({ recordedAt: events.recordedAt })
    .from(events)
    .where(eq(events.userId, fanId))
    .orderBy(desc(events.sequence))
    .limit(1)
})

/** Maximum that is shown: a fan has few merged records. */
const MAX_MERGED = 20

const selectMerged = prepared((reader: Reader, fanId: string) => {
  const { users } = reader.tables
  return reader.select({ id: users.id }).from(users).where(eq(users.mergedIntoId, fanId)).limit(MAX_MERGED)
})

function presentSanctions(decisions: Decision[], now: Date, moderation: boolean): Head['sanctions'] {
  const active = sanctionsInForce(decisions, now)
  return decisions
    .filter(({ id }) => active.includes(id))
    .map(({ id, kind, reason, until, createdAt, decidedBy }) => ({
      id,
      // Guarantee of the casts: sanctions in force have these kinds, and `recordDecision` writes these reasons.
      kind: kind as Head['sanctions'][number]['kind'],
      reason: reason as Head['sanctions'][number]['reason'],
      until: until?.toISOString() ?? null,
      createdAt: createdAt.toISOString(),
      decidedBy: moderation ? decidedBy : null,
    }))
}

const BLOCKER_TEXTS: Record<Head['blockers'][number]['code'], string> = {
  erased: 'This fan was erased. The remaining data identifies no person.',
  merged: 'This record was merged into another fan. Its sign-in leads there.',
  deleted_at_provider: 'The identity provider has deleted this user: nobody can sign in.',
  suspended: 'The fan is suspended: reads work, writes are refused.',
  hidden: 'Name, handle and picture are hidden from other fans.',
  muted: 'Activities of this fan are not shown to other fans.',
  terms_not_accepted: 'The fan has not accepted the current terms: texts that others see are refused.',
  refund_due: 'A payment of this fan must be refunded.',
  sync_deferred: 'The data of the identity provider is older than the last sign-in: a sync is queued.',
}

async function findBlockers(reader: Reader, user: User, states: Head['states']): Promise<Head['blockers']> {
  const codes: Head['blockers'][number]['code'][] = states.map(state =>
    state === 'deleted' ? 'deleted_at_provider' : state,
  )
  if (!user.erasedAt) {
    const { required } = await readTerms(reader, { userId: user.id })
    if (required && !(await hasAccepted(reader, user.id, required))) codes.push('terms_not_accepted')
    if (await isSyncQueued(reader, user.id)) codes.push('sync_deferred')
  }
  if (await owesRefund(reader, user.id)) codes.push('refund_due')
  return codes.map(code => ({ code, text: BLOCKER_TEXTS[code] }))
}
