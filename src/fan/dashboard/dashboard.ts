/** The home screen of a fan, in one response and one statement. */
import { sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Viewer } from '../../core/caller.ts'
import { hasAccounts, readShownTiers } from '../../economy/accounts/fan-tiers.ts'
import { rankOf } from '../../economy/leaderboard/ranked-entry.ts'
import { newestEntries, presentEntry } from '../../economy/points/history.ts'
import { heldOf } from '../../economy/points/holds.ts'
import { mirrorOf } from '../../identity/users/mirror.ts'
import { publicProfileColumns } from '../../identity/users/public-profile.ts'
import { userOf } from '../../identity/users/users.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { packCounts } from '../../play/packs/summary.ts'
import { getQuestSet } from '../../play/quests/quest.ts'
import {
  countActive,
  ownQuests,
  presentAtRisk,
  relevantQuests,
  streakAtRisk,
} from '../../play/quests/summary.ts'
import { getCatalogue } from '../../play/rewards/rewards.ts'
import { claimedIds, countClaimable } from '../../play/rewards/summary.ts'
import { unreadOf } from '../messages/inbox.ts'

const RECENT_ENTRIES = 5
const GLOBAL_BOARD = 'all'

/** A fan without a record gets the same response with nothing in it. */
export async function readDashboard({ read, cache }: ReadSource, { userId }: Viewer) {
  const now = read.now()
  const rewards = await getCatalogue(read, cache)
  const quests = await getQuestSet(read, cache)
  const rows = await selectDashboard(read, { userId, now, ...relevantQuests(quests, now) })
  const { claimed, redeemed, begun, completed, streak, ...own } = rows[0] ?? NOTHING
  const newest = rows.flatMap(({ entry }) => entry ?? []).toSorted((a, b) => b.seq - a.seq)
  // The balance is the one after the newest entry.
  const points = newest[0]?.balanceAfter ?? 0
  return {
    profile: { id: own.id, displayName: own.displayName, avatarUrl: own.avatarUrl },
    points,
    held: own.held,
    rank: own.rank,
    tier: own.hasAccounts ? await readShownTiers(read, userId) : [],
    rewards: {
      claimable: await countClaimable(
        read,
        rewards,
        { userId, claimed: new Set([...claimed, ...redeemed]), points },
        now,
      ),
      claimed: claimed.length,
      redeemed: redeemed.length,
    },
    packs: { sealed: own.sealed, opened: own.opened },
    quests: {
      active: countActive(quests, { begun, completed }, now),
      claimable: own.claimable,
      streakAtRisk: streak && (await presentAtRisk(read, quests, streak, now)),
    },
    unread: own.unread,
    recentPoints: newest.map(presentEntry),
  }
}

interface Values {
  userId: string
  now: Date
  /** Quests: see `relevantQuests`. */
  required: string[]
  streaks: string[]
}

/** One row for each recent entry; one row without an entry for a fan who has none. A subselect costs less than a join. */
const selectDashboard = prepared((read: Reader, { userId, now, required, streaks }: Values) => {
  const user = userOf(read, userId).as('user')
  const mirror = mirrorOf(read, userId).as('mirror')
  const streak = streakAtRisk(read, { userId, now, streaks })
  const newest = newestEntries(read, userId, RECENT_ENTRIES)
  const { id: entryId, seq, delta, balanceAfter, reason, ref, createdAt, hash } = newest
  return read
    .select({
      id: user.id,
      ...publicProfileColumns({ user, mirror }),
      rank: rankOf(read, GLOBAL_BOARD, userId),
      held: heldOf(read, userId, now),
      unread: unreadOf(read, userId),
      hasAccounts: hasAccounts(read, userId),
      ...claimedIds(read, userId),
      ...packCounts(read, userId),
      ...ownQuests(read, { userId, now, required }),
      streak: {
        userId: streak.userId,
        questId: streak.questId,
        current: streak.current,
        best: streak.best,
        graceLeft: streak.graceLeft,
        lastEndsAt: streak.lastEndsAt,
        endsAt: streak.endsAt,
      },
      entry: { id: entryId, seq, delta, balanceAfter, reason, ref, createdAt, hash },
    })
    .from(user)
    .leftJoin(mirror, sql`true`)
    .leftJoin(streak, sql`true`)
    .leftJoin(newest, sql`true`)
})

/** The dashboard of a fan without a record. */
const NOTHING = {
  id: null,
  displayName: null,
  avatarUrl: null,
  rank: null,
  held: 0,
  unread: 0,
  hasAccounts: false,
  claimed: [],
  redeemed: [],
  sealed: 0,
  opened: 0,
  begun: [],
  completed: [],
  claimable: 0,
  streak: null,
}
