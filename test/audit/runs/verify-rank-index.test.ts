/** A bucket that differs from its scores in any way is found. */
import { beforeAll, expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { findWrongBuckets } from '../../../src/economy/leaderboard/rank-index/verify.ts'
import { patientFan } from '../../play/packs/packs-world.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('The buckets of a board', world => {
  /** Two fans have 100 points each and share the narrowest bucket by points. */
  const SHARED = { board: 'all', level: 0, points: 100, reachedAt: 0 }

  beforeAll(async () => {
    for (let n = 0; n < 2; n++) await (await patientFan(world)).post('/api/user/onboarding', {})
  })

  /** The findings after a change, which is rolled back. */
  async function findAfter(change: (tx: Transaction) => Promise<unknown>) {
    const rollBack = new Error('rolled back')
    let found: unknown
    const work = world.db.write(async tx => {
      await change(tx)
      found = await findWrongBuckets(tx, 'all')
      throw rollBack
    })
    await expect(work).rejects.toBe(rollBack)
    return found
  }
  const isShared = (tx: Transaction) => {
    const { board, level, points, reachedAt } = tx.tables.leaderboardCounts
    return and(
      eq(board, SHARED.board),
      eq(level, SHARED.level),
      eq(points, SHARED.points),
      eq(reachedAt, SHARED.reachedAt),
    )
  }

  test('are correct after the verbs wrote them', async () => {
    expect(await findWrongBuckets(world.db.read, 'all')).toEqual([])
  })

  test.each([1, 3, 0])('are wrong with %d fans in a bucket of two', async fans => {
    const found = await findAfter(tx => {
      const { leaderboardCounts } = tx.tables
      return tx.update(leaderboardCounts).set({ fans }).where(isShared(tx))
    })
    expect(found).toEqual([{ ...SHARED, expected: 2, actual: fans }])
  })

  test('are wrong without the row of a bucket that has fans', async () => {
    const found = await findAfter(tx => tx.delete(tx.tables.leaderboardCounts).where(isShared(tx)))
    expect(found).toEqual([{ ...SHARED, expected: 2, actual: null }])
  })

  test.each([0, 1])('are wrong with a row of %d fans for a bucket that has none', async fans => {
    const empty = { ...SHARED, points: 7 }
    const found = await findAfter(tx => tx.insert(tx.tables.leaderboardCounts).values({ ...empty, fans }))
    expect(found).toEqual([{ ...empty, expected: 0, actual: fans }])
  })

  test('are wrong with a row of an unknown level', async () => {
    const stray = { ...SHARED, level: 99 }
    const found = await findAfter(tx => tx.insert(tx.tables.leaderboardCounts).values({ ...stray, fans: 2 }))
    expect(found).toEqual([{ ...stray, expected: 0, actual: 2 }])
  })
})
