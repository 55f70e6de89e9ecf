/** The list of all boards: its statements do not grow with the boards. */
import { expect, test } from 'bun:test'
import { insertRows } from '../../../db/bulk.ts'
import { listBoards } from '../../../src/economy/leaderboard/rank-index/entries.ts'
import { countQueries } from '../../support/queries.ts'
import { onEachEngine } from '../../support/world.ts'

const SCORED = ['2026-W47', 'all', 'country:GB', 'predictions']
const COUNTED = ['2026-11', 'all', 'team:reds']

onEachEngine('The list of boards', world => {
  test('has each board with scores or buckets once, and is one statement', async () => {
    expect(await listBoards(world.db.read)).toEqual([])
    await world.db.write(async tx => {
      const { users, leaderboardScores, leaderboardCounts } = tx.tables
      const at = tx.now()
      const fans = ['ann', 'bob']
      const user = { provider: 'test', createdAt: at, updatedAt: at }
      await insertRows(
        tx,
        users,
        fans.map(id => ({ ...user, id, subject: id })),
      )
      const score = { minusPoints: -1, reachedAt: 1 }
      await insertRows(
        tx,
        leaderboardScores,
        SCORED.flatMap(board => fans.map(userId => ({ ...score, board, userId }))),
      )
      const bucket = { level: 0, points: 1, reachedAt: 1, fans: 1 }
      await insertRows(
        tx,
        leaderboardCounts,
        COUNTED.map(board => ({ ...bucket, board })),
      )
    })
    expect(await listBoards(world.db.read)).toEqual([...new Set([...SCORED, ...COUNTED])].toSorted())
    expect(await countQueries(world.db, () => listBoards(world.db.read))).toBe(1)
  })
})
