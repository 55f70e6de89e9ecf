/** The feed reads the newest events of each fan by the index, also by a statement that was planned while there were no events. */
import { expect, test } from 'bun:test'
import { createCursors } from '../../../src/core/pagination.ts'
import { readFeed } from '../../../src/fan/social/feed.ts'
import { countRowsRead } from '../../db/plans.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEachEngine, onEngine, onServer, type World } from '../../support/world.ts'

const FANS = 100
const EVENTS_OF_EACH = 50
const LIMIT = 10
const cursors = createCursors('a secret of sufficient length for tests')

async function addFollowed(world: World): Promise<string> {
  const { users, fanRelations } = world.db.tables
  await world.db.write(async tx => {
    const now = tx.now()
    const ids = ['reader', ...Array.from({ length: FANS }, (_, n) => `followed-${n}`)]
    await tx
      .insert(users)
      .values(ids.map(id => ({ id, provider: 'test', subject: id, createdAt: now, updatedAt: now })))
    await tx
      .insert(fanRelations)
      .values(ids.slice(1).map(otherId => ({ fanId: 'reader', otherId, followedAt: now })))
  })
  return 'reader'
}

const eventsOfAll = (now: Date) =>
  Array.from({ length: FANS * EVENTS_OF_EACH }, (_, n) => ({
    ...{ source: 'matchday', eventId: `event-${n}`, userId: `followed-${n % FANS}` },
    ...{ sequence: Math.floor(n / FANS) + 1, type: 'reward.claimed', data: '{"rewardId":"scarf"}' },
    ...{ occurredAt: now, recordedAt: new Date(now.getTime() + n) },
  }))

onServer('A page of the feed', world => {
  test('reads one index entry of each fan, and few more of those on the page', async () => {
    const userId = await addFollowed(world)
    const caller = { userId }
    const read = await world.db.write(tx =>
      countRowsRead(tx, 'events', {
        query: () => readFeed(tx, cursors, caller, { limit: LIMIT }),
        fill: () => tx.insert(tx.tables.events).values(eventsOfAll(tx.now())),
      }),
    )
    expect(read).toBeGreaterThanOrEqual(FANS)
    expect(read).toBeLessThanOrEqual(4 * FANS)
  })
})

onEngine(sqliteEngine, 'A page of the feed', world => {
  test('has the newest events among those of many fans', async () => {
    const userId = await addFollowed(world)
    await world.db.write(async tx => {
      await tx.insert(tx.tables.events).values(eventsOfAll(tx.now()).slice(0, 500))
    })
    const { items } = await readFeed(world.db.read, cursors, { userId }, { limit: LIMIT })
    expect(items.map(({ id }) => id)).toEqual(Array.from({ length: LIMIT }, (_, n) => `event-${499 - n}`))
  })
})

/** A linear congruential generator: the same fans and events in each run. */
function createRandom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

onEachEngine('The pages of a feed', world => {
  test.each([1, 2, 3])(
    'are all shown events by time, for any active and hidden fans: seed %d',
    async seed => {
      const random = createRandom(seed)
      const readerId = `reader-${seed}`
      const fans = Array.from({ length: 40 }, (_, n) => ({
        id: `fan-${seed}-${n}`,
        isHidden: random(4) === 0,
        events: random(3) === 0 ? 0 : random(12),
        // Whole groups of fans are active at other times than others, and several events have the same time.
        from: random(4) * 50,
      }))
      const at = new Date('2026-08-01T12:00:00.000Z')
      const events = fans.flatMap(({ id, events, from, isHidden }) => {
        const times = Array.from({ length: events }, () => from + random(60)).toSorted((a, b) => a - b)
        return times.map((time, n) => ({ id: `${id}-${n}`, userId: id, sequence: n + 1, time, isHidden }))
      })
      await world.db.write(async tx => {
        const { users, fanRelations, events: rows } = tx.tables
        const user = { provider: 'test', createdAt: at, updatedAt: at }
        await tx.insert(users).values({ ...user, id: readerId, subject: readerId })
        for (const { id, isHidden } of fans)
          await tx.insert(users).values({ ...user, id, subject: id, hiddenAt: isHidden ? at : null })
        await tx
          .insert(fanRelations)
          .values(fans.map(({ id }) => ({ fanId: readerId, otherId: id, followedAt: at })))
        await tx.insert(rows).values(
          events.map(({ id, userId, sequence, time }) => ({
            ...{ source: 'matchday', eventId: id, userId, sequence, type: 'reward.claimed' },
            ...{ data: '{"rewardId":"scarf"}', occurredAt: at, recordedAt: new Date(at.getTime() + time) },
          })),
        )
      })
      const byTime = (a: (typeof events)[number], b: typeof a) =>
        b.time - a.time || (a.userId < b.userId ? 1 : a.userId > b.userId ? -1 : b.sequence - a.sequence)
      const expected = events.filter(({ isHidden }) => !isHidden).toSorted(byTime)
      const found: string[] = []
      let cursor: string | undefined
      do {
        const page = await readFeed(world.db.read, cursors, { userId: readerId }, { limit: 7, cursor })
        found.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined && found.length <= events.length)
      expect(found).toEqual(expected.map(({ id }) => id))
    },
  )
})
