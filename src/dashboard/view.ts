/** The home screen of a fan, in one answer. */
import type { Reader } from '../../db/index.ts'
import type { Caller } from '../caller.ts'
import { readFaces } from '../identity/faces.ts'
import { findUser } from '../identity/users.ts'
import { readStanding } from '../leaderboard/standing.ts'
import { tallyPacks } from '../packs/tally.ts'
import { presentEntry, readEntries } from '../points/history.ts'
import { tallyRewards } from '../rewards/tally.ts'
import { boardTopic, fanTopic, rewardsTopic } from '../views/topics.ts'
import type { ViewCache } from '../views/view-cache.ts'

const RECENT_ENTRIES = 5
const GLOBAL_BOARD = 'all'

interface Sources {
  read: Reader
  views: ViewCache
}

/** A fan without a record gets the same answer with nothing in it. */
export async function viewDashboard({ read, views }: Sources, caller: Caller) {
  const user = await findUser(read, caller)
  if (!user) return presentNewcomer(read)
  return views.read(`dashboard ${user.id}`, async () => ({
    value: await presentDashboard(read, user.id),
    topics: [fanTopic(user.id), rewardsTopic, boardTopic(GLOBAL_BOARD)],
  }))
}

async function presentDashboard(read: Reader, userId: string) {
  const face = (await readFaces(read, [userId])).get(userId)
  const { balance, entries } = await readEntries(read, userId, RECENT_ENTRIES)
  const standing = await readStanding(read, GLOBAL_BOARD, userId)
  return {
    profile: { id: userId, displayName: face?.displayName ?? null, avatarUrl: face?.avatarUrl ?? null },
    points: balance,
    rank: standing?.rank ?? null,
    rewards: await tallyRewards(read, userId, balance),
    packs: await tallyPacks(read, userId),
    recentPoints: entries.map(presentEntry),
  }
}

async function presentNewcomer(read: Reader) {
  return {
    profile: { id: null, displayName: null, avatarUrl: null },
    points: 0,
    rank: null,
    rewards: await tallyRewards(read, undefined, 0),
    packs: { sealed: 0, opened: 0 },
    recentPoints: [],
  }
}
