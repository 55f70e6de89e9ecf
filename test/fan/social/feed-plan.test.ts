/** The feed reads the newest events of each fan by the index, also by a statement that was planned while there were no events. */
import { expect, test } from 'bun:test'
import { createCursors } from '../../../src/core/pagination.ts'
import { readFeed } from '../../../src/fan/social/feed.ts'
import { countRowsRead } from '../../db/plans.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine, onServer, type World } from '../../support/world.ts'

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
