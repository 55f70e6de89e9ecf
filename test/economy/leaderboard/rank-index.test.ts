/** The size of the rank index: buckets per fan, and fans per bucket. */
import { expect, test } from 'bun:test'
import { onEachEngine, type World } from '../../support/world.ts'
import { readBuckets } from './board-model.ts'

async function onboard(world: World, fans: number, apartMs: number) {
  for (let n = 0; n < fans; n++) {
    await (await world.fan()).post('/api/user/onboarding', {})
    world.clock.advance(apartMs)
  }
}

onEachEngine(
  'The rank index',
  world => {
    test('stores six buckets per board for a new fan, all of which ranks read', async () => {
      await onboard(world, 1, 2)
      const buckets = await readBuckets(world.db.read)
      expect(buckets).toHaveLength(18)
      expect(
        buckets.filter(({ level, points }) => points === 0 && level > 0).map(({ level }) => level),
      ).toEqual([6, 6, 6])
    })

    test('separates fans who reach the same points 2 ms apart', async () => {
      await onboard(world, 5, 2)
      const buckets = await readBuckets(world.db.read)
      const narrowest = Math.max(...buckets.map(({ level }) => level))
      const fans = buckets.filter(({ level, board }) => level === narrowest && board === 'all')
      expect(fans.length).toBeGreaterThanOrEqual(5)
      expect(new Set(fans.map(({ fans }) => fans))).toEqual(new Set([1]))
    })
  },
  { worldPer: 'test' },
)
