/** Events `points.changed` that no subscriber asks for have no row, and are told as if they had one. */
import { describe, expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { verifyEventsOf } from '../../../src/audit/points/verify-events.ts'
import { addEndpoint } from '../../../src/delivery/webhooks/endpoints.ts'
import { deleteEventData } from '../../../src/economy/events/delete-data.ts'
import { explainEvent } from '../../../src/economy/events/explain-event.ts'
import { readEventsAfter } from '../../../src/economy/events/follow.ts'
import { listEventsSince, listNewestEvents } from '../../../src/economy/events/list-events.ts'
import { exportEvents } from '../../../src/economy/events/personal-data.ts'
import { recordEvent, writeEvent } from '../../../src/economy/events/record-event.ts'
import { readNewestSequences } from '../../../src/economy/events/sequences.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { readRuleHistory } from '../../../src/economy/rules/rule-history.ts'
import { newType, userIdOf } from '../../play/quests/quests-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { addRule } from '../rules/rules-world.ts'

onEachEngine(
  'An event points.changed',
  world => {
    /** A fan with an event that two rules pay, and one that no rule listens to. */
    async function paidFan() {
      const type = newType()
      for (const fixed of [10, 5]) await addRule(world, { eventType: type, points: { fixed } })
      const userId = await userIdOf(world, await world.fan())
      await report(userId, type, 'paid')
      await report(userId, newType(), 'free')
      return { userId, type }
    }
    const report = (userId: string, type: string, eventId: string) =>
      world.db.write(tx =>
        writeEvent(tx, {
          source: 'shop',
          eventId: `${userId}-${eventId}`,
          userId,
          type,
          occurredAt: tx.now(),
          data: {},
        }),
      )
    const rowsOf = (userId: string) => {
      const { events } = world.db.tables
      return world.db.read.select().from(events).where(eq(events.userId, userId)).orderBy(events.sequence)
    }
    const after = async (userId: string, sequence: number) =>
      (await readEventsAfter(world.db.read, { userId, sequence })).map(event => [event.sequence, event.type])

    test('is part of the row of the event that earned, whose next sequences are its own', async () => {
      const { userId, type } = await paidFan()
      expect(await rowsOf(userId)).toMatchObject([
        { sequence: 1, type, entryCount: 2, firstEntrySeq: 1, lifetimeAfter: 15 },
        { sequence: 4, entryCount: null },
      ])
      expect(await readNewestSequences(world.db.read, [userId])).toEqual(new Map([[userId, 4]]))
      await report(userId, type, 'again')
      expect((await rowsOf(userId)).at(-1)).toMatchObject({ sequence: 5, entryCount: 2, firstEntrySeq: 3 })
      expect(await readNewestSequences(world.db.read, [userId])).toEqual(new Map([[userId, 7]]))
    })

    test('is told after every position, also in the middle of a row', async () => {
      const { userId, type } = await paidFan()
      const all = (await rowsOf(userId)).flatMap(row =>
        row.type === type
          ? [
              [1, type],
              [2, 'points.changed'],
              [3, 'points.changed'],
            ]
          : [[4, row.type]],
      )
      for (const position of [0, 1, 2, 3, 4])
        expect(await after(userId, position)).toEqual(all.slice(position) as never)
      const [, first, second] = await readEventsAfter(world.db.read, { userId, sequence: 0 })
      expect(first?.data).toMatchObject({ delta: 10, balance: 10, lifetime: 10, reason: 'rule' })
      expect(second?.data).toMatchObject({ delta: 5, balance: 15, lifetime: 15, reason: 'rule' })
    })

    test('is exported, listed and explained by its id, which is that of the entry', async () => {
      const { userId } = await paidFan()
      const { pointsEntries } = world.db.tables
      const entries = await world.db.read
        .select()
        .from(pointsEntries)
        .where(eq(pointsEntries.userId, userId))
        .orderBy(pointsEntries.seq)
      const ids = entries.map(({ id }) => id)
      const exported = await Array.fromAsync(exportEvents(world.db.read, userId))
      expect(exported.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4])
      expect(exported[1]).toEqual({
        source: 'matchday',
        sequence: 2,
        type: 'points.changed',
        occurredAt: entries[0]?.createdAt ?? null,
        recordedAt: world.clock.now(),
        revision: exported[0]?.revision ?? null,
        decisions: [],
        voidedAt: null,
        voidNote: null,
        id: ids[0] ?? '',
        data: { delta: 10, balance: 10, lifetime: 10, reason: 'rule', ref: entries[0]?.ref },
        taken: null,
      })
      for (const filter of [
        { userId, type: 'points.changed' },
        { userId, source: 'matchday' },
      ]) {
        const newest = await listNewestEvents(world.db.read, filter, 10)
        expect(newest.map(({ eventId }) => eventId)).toEqual(ids.toReversed())
        const since = await listEventsSince(world.db.read, filter, new Date(0))
        expect(since.map(({ eventId }) => eventId)).toEqual(ids)
      }
      expect((await listNewestEvents(world.db.read, { userId }, 2)).map(({ sequence }) => sequence)).toEqual([
        4, 3,
      ])
      const explained = await explainEvent(world.db.read, { source: 'matchday', eventId: ids[1] ?? '' })
      expect(explained).toMatchObject({ userId, sequence: 3, type: 'points.changed', rules: [] })
      expect(await explainEvent(world.db.read, { source: 'matchday', eventId: 'unknown' })).toBeNull()
    })

    test('loses its data with the event', async () => {
      const { userId } = await paidFan()
      await world.db.write(tx => deleteEventData(tx, userId))
      const told = await readEventsAfter(world.db.read, { userId, sequence: 0 })
      expect(told.map(({ sequence, data }) => [sequence, data])).toEqual([1, 2, 3, 4].map(n => [n, {}]))
    })

    test('has a row if a webhook asks for it, and before the day after the migration', async () => {
      const { userId, type } = await paidFan()
      const typesOf = async () => (await rowsOf(userId)).slice(2).map(row => [row.type, row.entryCount])
      await world.db.write(async tx => {
        await appendEntry(tx, { userId, delta: 1, reason: 'activity', ref: 'before' })
        await writeEvent(tx, {
          source: 'shop',
          eventId: userId,
          userId,
          type,
          occurredAt: tx.now(),
          data: {},
        })
      })
      const separate = [[type, null], ...Array(2).fill(['points.changed', null])]
      // With the entry that was booked before.
      expect(await typesOf()).toEqual([[type, 3]])
      const { catalogueVersions } = world.db.tables
      const foldFrom = (foldsFrom: Date) =>
        world.db.write(tx =>
          tx
            .update(catalogueVersions)
            .set({ foldsFrom })
            .where(and(eq(catalogueVersions.kind, 'events'))),
        )
      await foldFrom(new Date(world.clock.ms + 1))
      await report(userId, type, 'too early')
      expect((await typesOf()).slice(1)).toEqual(separate as never)
      await foldFrom(new Date(world.clock.ms))
      await report(userId, type, 'folded')
      expect((await typesOf()).slice(4)).toEqual([[type, 2]])
      await world.db.write(tx =>
        addEndpoint(tx, world.deps.webhookSecrets, {
          url: 'https://example.com/hook',
          types: ['points.changed'],
        }),
      )
      await report(userId, type, 'subscribed')
      expect((await typesOf()).slice(5)).toEqual(separate as never)
      const told = await readEventsAfter(world.db.read, { userId, sequence: 0 })
      expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, at) => at + 1))
    })

    describe('of an entry that a verb has booked', () => {
      const earn = (userId: string) =>
        world.db.write(async tx => {
          await appendEntry(tx, { userId, delta: 7, reason: 'activity', ref: tx.newId() })
          await recordEvent(tx, { userId, type: 'reward.claimed', data: { rewardId: 'scarf' } })
          await recordEvent(tx, { userId, type: 'reward.redeemed', data: { rewardId: 'scarf' } })
        })
      const kindsOf = async (userId: string) => (await rowsOf(userId)).map(row => [row.type, row.entryCount])
      test('is part of the next event of the fan, and follows it', async () => {
        const { userId } = await paidFan()
        await earn(userId)
        expect((await kindsOf(userId)).slice(2)).toEqual([
          ['reward.claimed', 1],
          ['reward.redeemed', null],
        ])
        expect(await after(userId, 4)).toEqual([
          [5, 'reward.claimed'],
          [6, 'points.changed'],
          [7, 'reward.redeemed'],
        ])
      })

      test('has a row if another process has let a webhook ask for it', async () => {
        const { userId } = await paidFan()
        const { events } = world.db.read.spine
        const stale = events.listening
        await world.db.write(tx =>
          addEndpoint(tx, world.deps.webhookSecrets, {
            url: 'https://example.com/hook',
            types: ['points.changed'],
          }),
        )
        events.listening = stale
        await earn(userId)
        expect((await kindsOf(userId)).slice(2)).toEqual([
          ['reward.claimed', null],
          ['reward.redeemed', null],
          ['points.changed', null],
        ])
        expect((await after(userId, 0)).map(([sequence]) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7])
      })

      test('is told once if the event was recorded before', async () => {
        const { userId } = await paidFan()
        const claim = () =>
          world.db.write(async tx => {
            await appendEntry(tx, { userId, delta: 7, reason: 'activity', ref: tx.newId() })
            const event = { userId, type: 'reward.claimed', eventId: `${userId}-once` } as const
            await recordEvent(tx, { ...event, data: { rewardId: 'scarf' } })
          })
        await claim()
        await claim()
        expect((await kindsOf(userId)).slice(2)).toEqual([
          ['reward.claimed', 1],
          ['points.changed', null],
        ])
      })
    })

    test('is missed by verify-ledger if the number of folded ones is changed', async () => {
      const { userId } = await paidFan()
      const history = await readRuleHistory(world.db.read)
      const find = async () =>
        (await Array.fromAsync(verifyEventsOf(world.db.read, { only: userId }, history))).flatMap(
          ({ findings }) => findings,
        )
      expect(await find()).toEqual([])
      const { events } = world.db.tables
      await world.db.write(tx =>
        tx
          .update(events)
          .set({ entryCount: 1 })
          .where(and(eq(events.userId, userId), eq(events.sequence, 1))),
      )
      expect(await find()).toMatchObject([{ expected: 3, actual: 4 }])
    })
  },
  { worldPer: 'test' },
)
