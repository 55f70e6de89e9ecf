/** A repair may add a fan to many boards and remove them: more buckets than one statement writes. */
import { expect, test } from 'bun:test'
import { moveMembers } from '../../../src/economy/leaderboard/rank-index/rank-index.ts'
import { onEachEngine } from '../../support/world.ts'
import { readBuckets } from './board-model.ts'

onEachEngine('The buckets of many boards', world => {
  const scores = Array.from({ length: 20 }, (_, n) => ({
    board: `board-${String(n).padStart(2, '0')}`,
    points: n * 1000,
    reachedAt: 1_786_818_600_000 + n,
  }))

  test('count one fan each, and are deleted when the fan is removed', async () => {
    await world.db.write(async tx => moveMembers(tx, [], scores))
    const buckets = await readBuckets(world.db.read)
    // Four by time, two or none by points, and the widest, which counts all fans.
    expect(buckets).toHaveLength(19 * 7 + 5)
    expect(buckets.every(({ fans }) => fans === 1)).toBe(true)

    await world.db.write(async tx => moveMembers(tx, [], scores))
    await world.db.write(async tx => moveMembers(tx, scores, []))
    expect(await readBuckets(world.db.read)).toEqual(buckets)
    await world.db.write(async tx => moveMembers(tx, scores, []))
    expect(await readBuckets(world.db.read)).toEqual([])
  })
})
