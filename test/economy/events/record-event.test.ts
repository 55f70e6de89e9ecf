/** Recording: the sequence of a fan, once per id, and which listeners are called. */
import { expect, test } from 'bun:test'
import { asc, eq } from 'drizzle-orm'
import { bumpVersion } from '../../../src/club/catalogue/versions.ts'
import type { NewEvent } from '../../../src/economy/events/event.ts'
import { applicationEvent, recordEvent, writeEvent } from '../../../src/economy/events/record-event.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { countsAttempts } from '../../support/serializable.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { forgetListeners, listen } from './listener.ts'

const newFan = (world: World) =>
  world.db.write(async tx => {
    const { user } = await ensureUser(tx, { provider: 'mock-idp', subject: crypto.randomUUID() })
    return user.id
  })

const claimed = (userId: string, rewardId = 'scarf') => {
  return { userId, type: 'reward.claimed', data: { rewardId } } as const
}

async function rowsOf({ db: { read, tables } }: World, userId: string) {
  const { events } = tables
  return read.select().from(events).where(eq(events.userId, userId)).orderBy(asc(events.sequence))
}

const nothing = async () => {}
const REACTION = { load: nothing, onEvent: nothing, loadVoids: nothing, onVoid: nothing, write: nothing }

onEachEngine('Recording an event', world => {
  forgetListeners(world)

  test('numbers the events of each fan without gaps, also after a unit of work that failed', async () => {
    const [one, other] = [await newFan(world), await newFan(world)]
    const { db } = world
    await db.write(tx => recordEvent(tx, claimed(one)))
    await db.write(tx => recordEvent(tx, claimed(other)))
    const failure = db.write(async tx => {
      await recordEvent(tx, claimed(one))
      throw new Error('failed later')
    })
    await expect(failure).rejects.toThrow('failed later')
    await db.write(async tx => {
      await recordEvent(tx, claimed(one))
      await recordEvent(tx, claimed(one))
    })
    for (const [fan, count] of [[one, 3] as const, [other, 1] as const])
      expect((await rowsOf(world, fan)).map(({ sequence }) => sequence)).toEqual(
        Array.from({ length: count }, (_, at) => at + 1),
      )
  })

  test('with an id that was already recorded changes nothing', async () => {
    const fan = await newFan(world)
    const eventId = crypto.randomUUID()
    const first = await world.db.write(tx => recordEvent(tx, { ...claimed(fan), eventId }))
    const again = await world.db.write(tx => recordEvent(tx, { ...claimed(fan, 'other'), eventId }))
    expect(first).toMatchObject({ sequence: 1 })
    expect(first?.event).toMatchObject({
      eventId,
      source: 'matchday',
      data: { rewardId: 'scarf' },
    })
    expect(again).toBeNull()
    expect(await rowsOf(world, fan)).toHaveLength(1)
  })

  test('with the same id from two sources records two events', async () => {
    const fan = await newFan(world)
    const event = {
      eventId: 'same',
      userId: fan,
      occurredAt: new Date(world.clock.ms),
      data: {},
    }
    for (const source of ['gate', 'shop'])
      expect(await world.db.write(tx => writeEvent(tx, { ...event, source, type: 'x.y' }))).toBeTruthy()
  })

  test('lets exactly the listeners of its type react, in the same unit of work', async () => {
    const fan = await newFan(world)
    const received: NewEvent[] = []
    await listen(world, 'reward.claimed', async ({ ledgers }, event) => {
      received.push(event)
      ledgers.append({ userId: event.userId, delta: 5, reason: 'activity', ref: event.eventId })
    })
    const [heard, unheard] = await world.db.write(async tx => [
      await recordEvent(tx, claimed(fan)),
      await recordEvent(tx, { ...claimed(fan), type: 'reward.redeemed' }),
    ])
    expect([heard?.hasListeners, unheard?.hasListeners]).toEqual([true, false])
    expect(received).toEqual(heard ? [heard.event] : [])
    const failing = world.db.write(async tx => {
      await recordEvent(tx, claimed(fan))
      throw new Error('failed later')
    })
    await expect(failing).rejects.toThrow('failed later')
    const { pointsAccounts } = world.db.tables
    const accounts = await world.db.read.select().from(pointsAccounts).where(eq(pointsAccounts.userId, fan))
    expect(accounts).toMatchObject([{ balance: 5, seq: 1 }])
  })

  test('of a listener that fails records nothing', async () => {
    const fan = await newFan(world)
    await listen(world, 'reward.claimed', async () => {
      throw new Error('cannot react')
    })
    await expect(world.db.write(tx => recordEvent(tx, claimed(fan)))).rejects.toThrow('cannot react')
    expect(await rowsOf(world, fan)).toEqual([])
  })

  test('lets a listener record an event of its own, which has the next number', async () => {
    const fan = await newFan(world)
    await listen(world, 'reward.claimed', async (recording, { userId }) => {
      const event = applicationEvent(recording.tx, { ...claimed(userId), type: 'reward.redeemed' })
      await recording.record(event)
    })
    await world.db.write(tx => recordEvent(tx, claimed(fan)))
    const rows = await rowsOf(world, fan)
    expect(rows.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['reward.claimed', 1],
      ['reward.redeemed', 2],
    ])
  })

  const counting = test.skipIf(countsAttempts !== '')
  counting(`loads the listeners again only when their version changes${countsAttempts}`, async () => {
    const fan = await newFan(world)
    let loads = 0
    const load = async () => {
      loads++
      return { listensTo: () => true, open: () => REACTION }
    }
    const record = () => world.db.write(tx => recordEvent(tx, claimed(fan)))
    world.db.read.spine.events.readers = [{ load }]
    await world.db.write(tx => bumpVersion(tx))
    for (const _ of [1, 2, 3]) await record()
    expect(loads).toBe(1)
    await world.db.write(tx => bumpVersion(tx))
    for (const _ of [1, 2]) await record()
    expect(loads).toBe(2)
  })
})
