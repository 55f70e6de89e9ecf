/** The home screen of a fan, in one response and one statement. */
import { desc, sql } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import type { AuthenticatedCaller } from '../core/caller.ts'
import { rankedEntry } from '../leaderboard/ranked-entry.ts'
import { packCounts } from '../packs/summary.ts'
import { balanceOf, newestEntries, presentEntry } from '../points/history.ts'
import { questCounts, streakAtRisk } from '../quests/summary.ts'
import { rewardCounts } from '../rewards/summary.ts'
import { mirrorOf } from '../users/mirror.ts'
import { publicProfileColumns } from '../users/public-profile.ts'
import { userOf } from '../users/users.ts'

const RECENT_ENTRIES = 5
const GLOBAL_BOARD = 'all'

/** A fan without a record gets the same response with nothing in it. */
export async function readDashboard(read: Reader, { userId }: Pick<AuthenticatedCaller, 'userId'>) {
  const rows = await selectDashboard(read, { userId: userId ?? '', now: read.now() })
  const [row] = rows
  if (!row) throw new Error('a statement that always has a row had none')
  const { claims, packs, quests, id, displayName, avatarUrl } = row
  return {
    profile: { id, displayName, avatarUrl },
    points: row.points,
    rank: row.rank,
    rewards: {
      claimable: row.claimable,
      claimed: claims.all - claims.redeemed,
      redeemed: claims.redeemed,
    },
    packs: { sealed: packs.all - packs.opened, opened: packs.opened },
    quests: { active: quests.active, claimable: quests.claimable, streakAtRisk: presentStreak(row.streak) },
    recentPoints: rows.flatMap(({ entry }) => (entry ? [presentEntry(entry)] : [])),
  }
}

const presentStreak = (streak: { questId: string; current: number; endsAt: Date } | null) =>
  streak && {
    questId: streak.questId,
    current: streak.current,
    atRiskUntil: streak.endsAt.toISOString(),
  }

/** One row for each recent entry; one row without an entry for a fan who has none. */
const selectDashboard = prepared((read: Reader, { userId, now }: { userId: string; now: Date }) => {
  const user = userOf(read, userId).as('user')
  const mirror = mirrorOf(read, userId).as('mirror')
  const ranked = rankedEntry(read, GLOBAL_BOARD, userId)
  const { claims, claimable } = rewardCounts(read, { userId, now })
  const packs = packCounts(read, userId)
  const quests = questCounts(read, { userId, now })
  const streak = streakAtRisk(read, { userId, now })
  const newest = newestEntries(read, userId, RECENT_ENTRIES)
  const { id: entryId, seq, delta, balanceAfter, reason, ref, createdAt, hash } = newest
  return read
    .select({
      id: user.id,
      ...publicProfileColumns({ user, mirror }),
      points: balanceOf(read, userId),
      rank: ranked.rank,
      claimable: claimable.count,
      claims: { all: claims.all, redeemed: claims.redeemed },
      packs: { all: packs.all, opened: packs.opened },
      quests: { active: quests.active.count, claimable: quests.claimable.count },
      streak: { questId: streak.questId, current: streak.current, endsAt: streak.endsAt },
      entry: { id: entryId, seq, delta, balanceAfter, reason, ref, createdAt, hash },
    })
    .from(claims)
    .crossJoin(claimable)
    .crossJoin(packs)
    .crossJoin(quests.active)
    .crossJoin(quests.claimable)
    .leftJoin(streak, sql`true`)
    .leftJoin(user, sql`true`)
    .leftJoin(mirror, sql`true`)
    .leftJoin(ranked, sql`true`)
    .leftJoin(newest, sql`true`)
    .orderBy(desc(seq))
})
