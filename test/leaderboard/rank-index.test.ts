/** The size of the rank index: buckets per fan, and fans per bucket. */
import { Database as Connection } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { sharedEngines } from '../support/engines.ts'
import { onEachEngine, onEngine, type World } from '../support/world.ts'
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
    test('stores six buckets per board for a new fan, and none that no rank reads', async () => {
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

for (const engine of sharedEngines) {
  onEngine(engine, 'The migration to the finer rank index', world => {
    test('writes the same buckets as the verbs', async () => {
      await onboard(world, 5, 700)
      for (const points of [300, 70_000, 2 ** 33])
        await world.grant({ subject: (await world.fan()).subject }, points)
      const late = await world.fan()
      await world.grant(late, 70_000)
      await late.post('/api/user/onboarding', {})
      const counted = await readBuckets(world.db.read)

      const { leaderboardCounts } = world.db.tables
      // A bucket that only the coarser index stored.
      const old = { board: 'all', level: 1, points: 0, reachedAt: 0, fans: 5 }
      await world.db.write(tx => tx.insert(leaderboardCounts).values(old))
      const [file = ''] = new Bun.Glob(`db/migrations/${world.db.engine}/*_finer-rank-index.sql`).scanSync()
      await runStatements(world.databaseUrl ?? '', await Bun.file(file).text())
      expect(await readBuckets(world.db.read)).toEqual(counted)
    })
  })
}

async function runStatements(url: string, text: string) {
  if (url.startsWith('sqlite:')) {
    using connection = new Connection(url.slice('sqlite:'.length))
    connection.run(text)
    return
  }
  await using client = new SQL(url, { max: 1 })
  for (const statement of text.split('--> statement-breakpoint')) await client.unsafe(statement)
}
