/**
 * Merges a fan into another one, so that two accounts of one person become one. Takes one unit of work, and cannot be
 * undone.
 *
 * History stays with the merged record, under its id: the chains of points and cash, events, settled predictions, quests.
 * New entries carry the balances over. Other rows move: see `merge` in the declarations of `db/schema/`. The record becomes
 * another sign-in of the other fan, so that the person reaches the same fan with either account.
 */
import { and, eq, inArray, isNull } from 'drizzle-orm'
import type { Database, Transaction } from '../../../../db/index.ts'
import { toList } from '../../../../db/listed.ts'
import { countRows } from '../../../../db/pages.ts'
import { rollBack } from '../../../../db/roll-back.ts'
import { useAvatar } from '../../../club/pictures/owned.ts'
import { deleteSegmentsOf } from '../../../club/segments/personal-data.ts'
import type { Merge } from '../../../core/caller.ts'
import { DomainError } from '../../../core/problems.ts'
import { carryAccounts } from '../../../economy/accounts/personal-data.ts'
import { type CarriedCash, carryCash } from '../../../economy/cash/personal-data.ts'
import { recordEvent } from '../../../economy/events/record-event.ts'
import { findEnrolment, unenrol } from '../../../economy/leaderboard/enrolment.ts'
import { copyScores } from '../../../economy/points/groups.ts'
import { joinLeaderboard } from '../../../economy/points/join-leaderboard.ts'
import { type CarriedPoints, carryPoints } from '../../../economy/points/personal-data.ts'
import { readSeams } from '../../../economy/points/seams.ts'
import { addRuleUses } from '../../../economy/rules/personal-data.ts'
import { deleteExportsOf } from '../../../fan/account/exports.ts'
import { readOnboarding } from '../../../fan/onboarding/onboarding.ts'
import { mergeReferrals } from '../../../fan/referrals/referrals.ts'
import { endAllSessions, lockSignIn } from '../../../identity/auth/token-validity.ts'
import { mergeRelations } from '../../../identity/relations/personal-data.ts'
import { mergeAge } from '../../../identity/users/age.ts'
import { lockForMerge } from '../../../identity/users/locks.ts'
import { mergeProfile, noteMerge } from '../../../identity/users/merges.ts'
import { type MERGE_BLOCKERS, userProblems } from '../../../identity/users/problems.ts'
import { findUserById, isErased, type User } from '../../../identity/users/users.ts'
import { mergeDivisions } from '../../../play/divisions/personal-data.ts'
import { mergeLeagues } from '../../../play/leagues/personal-data.ts'
import { moveLocker } from '../../../play/lockers/personal-data.ts'
import { moveItems } from '../../../play/packs/personal-data.ts'
import { movePredictions } from '../../../play/predictions/predictions.ts'
import { mergeLimits } from '../../../play/purchases/own-limits.ts'
import { mergeVotes } from '../../../play/questions/personal-data.ts'
import { copyQuests } from '../../../play/quests/personal-data.ts'
import { type MergedClaims, mergeClaims } from '../../../play/rewards/personal-data.ts'
import { copyCompletions } from '../../../play/sets/sets.ts'
import { voidTradesOf } from '../../../play/trades/end.ts'
import { moveRows } from './move-rows.ts'

export interface MergeRequest {
  /** User ids. */
  from: string
  into: string
  /** Name of the operator. */
  mergedBy: string
  /** Why. Not shown to fans, and an erasure deletes it. */
  reason: string | null
}

export interface MergeReport extends Merge {
  points: CarriedPoints
  /** Points in accounts that were carried over. */
  accounts: number
  cash: CarriedCash[]
  /** Names of the members of the profile that the other fan had left empty. */
  profile: string[]
  rewards: MergedClaims
  items: number
  quests: number
  sets: number
  predictions: number
  votes: number
  relations: number
  locker: boolean
  leagues: number
  divisions: number
  /** Devices of the merged fan that were signed out. */
  devices: number
  /** Other rows that moved, by table. */
  moved: Record<string, number>
}

/** @throws LedgerMismatchError; DomainError `fan_not_found`, `fans_not_mergeable`, `points_limit_reached` */
export async function mergeFans(tx: Transaction, request: MergeRequest): Promise<MergeReport> {
  const { from, into } = await lockBoth(tx, request)
  const merge = { fromId: from.id, intoId: into.id }
  await refuseUndecided(tx, from, into)

  const joins = (await findEnrolment(tx, from.id)) !== null && !(await hasDeclinedBoard(tx, into.id))
  const devices = await endAllSessions(tx, from.id)
  await voidTradesOf(tx, from.id)
  await mergeReferrals(tx, { from, into })
  await deleteSegmentsOf(tx, from.id)
  await deleteExportsOf(tx, from.id)
  const cash = await carryCash(tx, merge)
  const moved = await moveRows(tx, merge)
  const rewards = await mergeClaims(tx, merge)
  const items = await moveItems(tx, merge)
  const sets = await copyCompletions(tx, merge)
  const quests = await copyQuests(tx, merge)
  const predictions = await movePredictions(tx, merge)
  const votes = await mergeVotes(tx, merge)
  const relations = await mergeRelations(tx, merge)
  const locker = await moveLocker(tx, merge)
  const profile = await mergeProfile(tx, from, into)
  await mergeAge(tx, from, into)
  await mergeLimits(tx, from.id, into.id)
  if (profile.avatarUrl !== undefined) await useAvatar(tx, into.id, profile.avatarUrl)
  const points = await carryPoints(tx, merge)
  const accounts = await carryAccounts(tx, merge)
  await addRuleUses(tx, merge)
  await unenrol(tx, from.id)
  // Does not rejoin if the fan has left the boards.
  if (joins) await joinLeaderboard(tx, into.id)
  await copyScores(tx, [into.id])
  const { mergedBy, reason } = request
  await noteMerge(tx, merge, { mergedBy, reason })
  const leagues = await mergeLeagues(tx, merge)
  const divisions = await mergeDivisions(tx, merge)
  await recordEvent(tx, {
    userId: into.id,
    type: 'fan.merged',
    data: { fromUserId: from.id, ...points },
    eventId: `merge:${from.id}`,
  })
  return {
    ...merge,
    points,
    accounts,
    cash,
    profile: Object.keys(profile),
    rewards,
    items,
    quests,
    sets,
    predictions,
    votes,
    relations,
    locker,
    leagues,
    divisions,
    devices,
    moved,
  }
}

/** Merges, and rolls it back. @throws as `mergeFans` */
export const planMerge = (db: Pick<Database, 'write'>, request: MergeRequest): Promise<MergeReport> =>
  rollBack(db, tx => mergeFans(tx, request))

/** Whether a fan has completed the onboarding without joining the leaderboard. One who has left it does not join again either. */
async function hasDeclinedBoard(tx: Transaction, userId: string): Promise<boolean> {
  const { state, leaderboard } = await readOnboarding(tx, { userId })
  return state === 'completed' && !leaderboard.enrolled
}

/** Locks the sign-ins first, then the records, so that earlier units of work of both fans have ended and later ones wait. */
async function lockBoth(tx: Transaction, { from, into }: MergeRequest): Promise<{ from: User; into: User }> {
  const known = [await findUserById(tx, from), await findUserById(tx, into)].flatMap(user => user ?? [])
  for (const user of known.toSorted((a, b) => (a.id < b.id ? -1 : 1))) await lockSignIn(tx, user)
  const locked = new Map((await lockForMerge(tx, toList([from, into]))).map(user => [user.id, user]))
  const [source, target] = [locked.get(from), locked.get(into)]
  if (!source || !target || isErased(source) || isErased(target))
    throw new DomainError(userProblems.fan_not_found)
  if (source.id === target.id) throw notMergeable(['same_fan'])
  if (source.mergedIntoId ?? target.mergedIntoId) throw notMergeable(['already_merged'])
  return { from: source, into: target }
}

type Blocker = (typeof MERGE_BLOCKERS)[number]

const BLOCKER_WORDS: Record<Blocker, string> = {
  same_fan: 'Both are the same fan.',
  already_merged: 'One of them was merged before.',
  sanction_in_force: 'A sanction of the fan to be merged is in force: lift it first.',
  report_open: 'There is an open report about one of them: decide it first.',
  appeal_open: 'There is an open appeal of the fan to be merged: decide it first.',
  archived: 'Events of one of them are archived: restore that fan from the archive first.',
}

const notMergeable = (blockedBy: Blocker[]) =>
  new DomainError(userProblems.fans_not_mergeable, {
    blockedBy,
    detail: blockedBy.map(blocker => BLOCKER_WORDS[blocker]).join(' '),
  })

/** A merge must not end a sanction, or take a case from moderators, and needs the whole past of both. */
async function refuseUndecided(tx: Transaction, from: User, into: User): Promise<void> {
  const { reports, contentNotices, appeals } = tx.tables
  const isSuspended = from.suspendedUntil !== null && from.suspendedUntil > tx.now()
  const isAboutThem = and(inArray(reports.fanId, [from.id, into.id]), isNull(reports.resolvedAt))
  const isNotice = and(inArray(contentNotices.fanId, [from.id, into.id]), isNull(contentNotices.decidedAt))
  const isOpenAppeal = and(eq(appeals.fanId, from.id), isNull(appeals.decidedAt))
  const blockedBy: Blocker[] = [
    ...(from.hiddenAt || from.silencedAt || isSuspended ? (['sanction_in_force'] as const) : []),
    ...((await countRows(tx, reports, isAboutThem)) + (await countRows(tx, contentNotices, isNotice)) > 0
      ? (['report_open'] as const)
      : []),
    ...((await countRows(tx, appeals, isOpenAppeal)) > 0 ? (['appeal_open'] as const) : []),
    // The merge follows from all entries of both.
    ...((await readSeams(tx, [from.id, into.id])).size > 0 ? (['archived'] as const) : []),
  ]
  if (blockedBy.length > 0) throw notMergeable(blockedBy)
}
