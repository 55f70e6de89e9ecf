/** A fan who comes to many boards at once and leaves them, as a repair may have it: more buckets than one statement moves. */
import { expect, test } from 'bun:test'
import { moveCounts } from '../../src/leaderboard/rank-index/rank-index.ts'
import { onEachEngine } from '../support/world.ts'
import { readCounts } from './board-model.ts'

onEachEngine('Counts of many boards', world => {
  const places = Array.from({ length: 20 }, (_, n) => ({
    board: `board-${String(n).padStart(2, '0')}`,
    points: n * 1000,
    reachedAt: 1_786_818_600_000 + n,
  }))

  test('go up in every bucket by one, and are gone when the fan is', async () => {
    await world.db.write(tx => moveCounts(tx, [], places))
    const counts = await readCounts(world.db.read)
    // Four of time, two or none of points, and the widest, which holds all fans.
    expect(counts).toHaveLength(19 * 7 + 5)
    expect(counts.every(({ fans }) => fans === 1)).toBe(true)

    await world.db.write(tx => moveCounts(tx, [], places))
    await world.db.write(tx => moveCounts(tx, places, []))
    expect(await readCounts(world.db.read)).toEqual(counts)
    await world.db.write(tx => moveCounts(tx, places, []))
    expect(await readCounts(world.db.read)).toEqual([])
  })
})
