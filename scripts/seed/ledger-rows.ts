/** The points of a seeded fan, as the verbs book them. */
import { type Board, boardsAt } from '../../src/economy/leaderboard/boards.ts'
import { hashEnrolment } from '../../src/economy/leaderboard/enrolment.ts'
import type { BoardScore } from '../../src/economy/leaderboard/rank-index/rank-index.ts'
import { raiseScore } from '../../src/economy/leaderboard/scores.ts'
import { boardsFor } from '../../src/economy/ledgers/reasons.ts'
import { type Account, NEW_ACCOUNT } from '../../src/economy/points/account.ts'
import type { AppendedEntry } from '../../src/economy/points/appended-entries.ts'
import { nextEntry, type PointsChange } from '../../src/economy/points/ledger.ts'
import type { Rows } from './rows.ts'
import type { SeedSources } from './sources.ts'

export type Ledger = ReturnType<typeof createLedger>

/** The account of a fan, and the leaderboard scores after joining. */
export function createLedger(rows: Rows, userId: string, sources: SeedSources) {
  let account: Account | undefined
  const appended: AppendedEntry[] = []
  let places: Map<string, BoardScore> | undefined

  function raise(at: Date, gained: number, boards: Board[]) {
    for (const { id } of boards) places?.set(id, raiseScore(id, places.get(id), { gained, at }))
  }

  return {
    balance: () => account?.balance ?? 0,
    appended: (): readonly AppendedEntry[] => appended,
    /** The balance must be sufficient. */
    book(change: Omit<PointsChange, 'userId'>) {
      const at = sources.now()
      account ??= { userId, ...NEW_ACCOUNT }
      const { entry, head, gained } = nextEntry(account, { userId, ...change }, { id: sources.newId(), at })
      rows.pointsEntries.push(entry)
      appended.push({ ...entry, lifetime: head.lifetime })
      account = { ...account, ...head }
      if (gained > 0) raise(at, gained, boardsFor({ ...change, at }))
    },
    /** Points earned before joining count: here, the onboarding reward of the same time. */
    join() {
      const at = sources.now()
      account ??= { userId, ...NEW_ACCOUNT }
      const enrolment = { userId, enrolledAt: at }
      rows.leaderboardEntries.push({ ...enrolment, hash: hashEnrolment(enrolment) })
      places = new Map([['all', { board: 'all', points: 0, reachedAt: at.getTime() }]])
      if (account.lifetime > 0) raise(at, account.lifetime, boardsAt(at))
    },
    close() {
      if (account) rows.pointsAccounts.push(account)
      for (const place of places?.values() ?? []) rows.places.push({ ...place, userId })
    },
  }
}
