/** Divisions: who is in a table, what counts, and the end of a period. */
import { beforeEach, expect, test } from 'bun:test'
import { and, eq, like } from 'drizzle-orm'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { addRule } from '../../economy/rules/rules-world.ts'
import { block, type NamedFan } from '../../identity/relations/relations-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { balanceOf } from '../packs/packs-world.ts'
import {
  AFTER,
  addDivision,
  again,
  DAY,
  earn,
  endDivision,
  endPeriod,
  findWrong,
  listSeats,
  player,
  players,
  settle,
  shown,
  tableOf,
  undo,
  WEEK,
} from './divisions-world.ts'

onEachEngine(
  'A division',
  world => {
    const book = (userId: string, delta: number, reason: 'activity' | 'opening_balance' | 'pack_refund') =>
      world.db.write(tx => appendEntry(tx, { userId, delta, reason, ref: crypto.randomUUID() }))
    const sound = async () => expect(await findWrong(world)).toEqual([])
    const four = async () => (await players(world, 4)) as [NamedFan, NamedFan, NamedFan, NamedFan]
    const toldTo = async ({ id }: NamedFan) => {
      const { events } = world.db.tables
      const isOf = and(eq(events.userId, id), like(events.type, 'division.%'))
      const rows = await world.db.read
        .select({ type: events.type })
        .from(events)
        .where(isOf)
        .orderBy(events.sequence)
      return rows.map(({ type }) => type)
    }
    async function earnEach(fans: NamedFan[], points: number[]) {
      for (const [index, { id }] of fans.entries()) {
        const delta = points[index] ?? 0
        if (delta > 0) await earn(world, id, delta)
      }
    }

    beforeEach(async () => void (await addDivision(world)))

    test('has a table for a fan from the first points on, and none before', async () => {
      const fan = await player(world)
      expect(await tableOf(fan)).toBeNull()
      await earn(world, fan.id, 5)
      const { endsAt, ...division } = await tableOf(fan)
      expect(division).toEqual({
        ...{ id: 'weekly', name: 'Weekly', rank: 1, size: 4, up: 1, down: 0, last: null },
        level: { id: 'bronze', name: 'Bronze', number: 1, of: 3 },
        entries: [
          {
            handle: fan.handle,
            displayName: `Name of ${fan.handle}`,
            avatarUrl: `https://pictures.example/${fan.handle}`,
            rank: 1,
            points: 5,
            zone: 'up',
          },
        ],
      })
      // A Monday.
      expect(new Date(endsAt).getUTCDay()).toBe(1)
      expect(Date.parse(endsAt) - world.clock.ms).toBeWithin(0, WEEK + 1)
      expect((await tableOf(fan, '?lang=pt')).name).toBe('Semanal')
      expect(await tableOf(fan, '?division=other')).toBeNull()
      await sound()
    })

    test('fills tables of its size, one after the other', async () => {
      const fans = await players(world, 9)
      await earnEach(
        fans,
        fans.map((_, n) => n + 1),
      )
      expect((await listSeats(world)).map(({ number, seat }) => `${number}.${seat}`)).toEqual([
        ...['1.1', '1.2', '1.3', '1.4', '2.1', '2.2', '2.3', '2.4', '3.1'],
      ])
      const [first, , , , fifth] = fans as [NamedFan, NamedFan, NamedFan, NamedFan, NamedFan]
      expect((await tableOf(first)).entries).toHaveLength(4)
      expect((await tableOf(fifth)).entries).toHaveLength(4)
    })

    test('ranks by what was earned in the period, and ties by the first to get there', async () => {
      const [ada, bea, caio, dina] = await four()
      await book(ada.id, 900, 'opening_balance')
      expect(await tableOf(ada)).toBeNull()
      await earnEach([ada, bea, caio, dina], [10, 4, 10, 3])
      world.clock.advance(DAY / 24)
      await earn(world, bea.id, 6)
      await book(dina.id, 500, 'pack_refund')
      const ref = await earn(world, dina.id, 70)
      await undo(world, dina.id, ref)
      for (const fan of [ada, bea, caio, dina]) await again(world, fan)
      const table = await tableOf(bea)
      expect(shown(table)).toEqual([
        [ada.handle, 10, 'up'],
        [caio.handle, 10, 'stays'],
        [bea.handle, 10, 'stays'],
        [dina.handle, 3, 'stays'],
      ])
      expect(table.rank).toBe(3)
    })

    test('raises the best and lowers the last at the end, once, and tells them', async () => {
      const fans = await four()
      const [ada, bea, caio, dina] = fans
      await earnEach(fans, [40, 30, 20, 10])
      await endPeriod(world, fans)
      expect(await tableOf(ada)).toMatchObject({
        level: { id: 'silver', number: 2 },
        last: { outcome: 'promoted', levelId: 'bronze', rank: 1, points: 40 },
        entries: [{ points: 0, zone: 'leaves' }],
      })
      // At the lowest level nobody falls.
      expect(await tableOf(dina)).toMatchObject({
        level: { id: 'bronze' },
        last: { outcome: 'stayed', rank: 4 },
      })
      await earnEach(fans, [1, 30, 20, 10])
      await endPeriod(world, fans)
      expect(await tableOf(ada)).toMatchObject({ level: { id: 'gold' } })
      expect(await tableOf(bea)).toMatchObject({ level: { id: 'silver' } })
      await earnEach([ada, bea, caio, dina], [5, 5, 9, 8])
      await endPeriod(world, fans)
      expect(await tableOf(bea)).toMatchObject({ level: { id: 'gold' } })
      expect(await tableOf(caio)).toMatchObject({ level: { id: 'silver' } })
      await earnEach([ada, bea, caio, dina], [5, 6, 9, 8])
      await endPeriod(world, fans)
      expect(await tableOf(ada)).toMatchObject({
        level: { id: 'silver' },
        last: { outcome: 'relegated', levelId: 'gold', rank: 2, points: 5 },
      })
      expect(await toldTo(ada)).toEqual(['division.promoted', 'division.promoted', 'division.relegated'])
      expect(await toldTo(caio)).toEqual(['division.promoted', 'division.promoted'])
      await settle(world)
      expect(await toldTo(ada)).toHaveLength(3)
      await sound()
    })

    test('lets fans who earned nothing leave, who then start at the lowest level', async () => {
      const fans = await four()
      const [ada, bea] = fans
      await earnEach(fans, [40, 30, 20, 10])
      await endPeriod(world, fans)
      await earn(world, bea.id, 1)
      await endPeriod(world, fans)
      expect(await tableOf(ada)).toBeNull()
      expect(await tableOf(bea)).toMatchObject({ level: { id: 'silver' } })
      await earn(world, ada.id, 1)
      expect(await tableOf(ada)).toMatchObject({ level: { id: 'bronze' }, rank: 1, last: null })
      await sound()
    })

    test('counts an entry by its time, also between two periods, and a taking-back while the points are not final', async () => {
      const fans = await four()
      const [ada, bea, caio] = fans
      await earnEach(fans, [10, 9, 8, 7])
      const end = Date.parse((await tableOf(ada)).endsAt)
      world.clock.ms = end - 1
      const late = await earn(world, bea.id, 5)
      const taken = await earn(world, caio.id, 50)
      world.clock.ms = end
      await earn(world, caio.id, 100)
      await undo(world, caio.id, taken)
      // Not final yet.
      await settle(world)
      expect((await listSeats(world)).every(({ level }) => level === 0)).toBe(true)
      world.clock.ms = end + AFTER
      await settle(world)
      // The result stays.
      await undo(world, bea.id, late)
      for (const fan of fans) await again(world, fan)
      expect(await tableOf(bea)).toMatchObject({ level: { id: 'silver' }, last: { points: 14 } })
      expect(shown(await tableOf(caio))[0]).toEqual([caio.handle, 100, 'up'])
      await sound()
    })

    test('keeps a fan who was idle, and has earned since the end, at the lowest level', async () => {
      const fans = await four()
      const [ada, bea] = fans
      await earnEach(fans, [40, 30, 20, 10])
      await endPeriod(world, fans)
      const end = Date.parse((await tableOf(ada)).endsAt)
      world.clock.ms = end + 1
      await earn(world, ada.id, 3)
      world.clock.ms = end + AFTER
      await settle(world)
      for (const fan of fans) await again(world, fan)
      expect(await tableOf(ada)).toMatchObject({
        level: { id: 'bronze' },
        rank: 1,
        last: null,
        entries: [{ points: 3 }],
      })
      expect(await tableOf(bea)).toBeNull()
      await sound()
    })

    test('pays and tells a result by rules, which do not count in the next period', async () => {
      await addRule(world, { eventType: 'division.promoted', points: { fixed: 500 } })
      const fans = await four()
      const [ada, bea] = fans
      await earnEach(fans, [40, 30, 20, 10])
      await endPeriod(world, fans)
      expect((await balanceOf(ada)).balance).toBe(540)
      expect((await balanceOf(bea)).balance).toBe(30)
      expect(await tableOf(ada)).toMatchObject({ entries: [{ points: 0, zone: 'leaves' }] })
      await settle(world)
      expect((await balanceOf(ada)).balance).toBe(540)
      await endPeriod(world, fans)
      expect(await tableOf(ada)).toBeNull()
      await sound()
    })

    test('changes with the catalogue from the next period on', async () => {
      const fans = await four()
      const [ada, bea] = fans
      await earnEach(fans, [40, 30, 20, 10])
      await addDivision(world, {
        name: 'Monthly',
        size: 50,
        every: 'month',
        levels: [
          { id: 'bronze', name: 'Bronze I', up: 4 },
          { id: 'platinum', name: 'Platinum' },
        ],
      })
      expect(await tableOf(ada)).toMatchObject({
        name: 'Monthly',
        size: 4,
        up: 1,
        level: { name: 'Bronze I', of: 3 },
      })
      const end = Date.parse((await tableOf(ada)).endsAt)
      await endPeriod(world, fans)
      // Silver is no more: the level in its place.
      const next = await tableOf(ada)
      expect(next).toMatchObject({ size: 50, level: { id: 'platinum', number: 2, of: 2 } })
      expect(new Date(next.endsAt).getUTCDate()).toBe(1)
      expect(await tableOf(bea)).toMatchObject({ level: { id: 'bronze' }, up: 1 })
      expect((await listSeats(world)).every(({ startsAt }) => startsAt.getTime() === end)).toBe(true)
      await sound()
    })

    test('ends with the period in which the club switches it off', async () => {
      const fans = await four()
      const [ada] = fans
      await earnEach(fans, [40, 30, 20, 10])
      await endDivision(world, 'weekly')
      const late = await player(world)
      await earn(world, late.id, 5)
      expect(await tableOf(late)).toBeNull()
      expect(await tableOf(ada)).toMatchObject({ rank: 1 })
      await endPeriod(world, fans)
      expect(await listSeats(world)).toEqual([])
      await addDivision(world)
    })

    test('of predictions counts those alone', async () => {
      await endDivision(world, 'weekly')
      await addDivision(world, { id: 'tips', scoring: 'predictions' })
      const fan = await player(world)
      await earn(world, fan.id, 9)
      expect(await tableOf(fan)).toBeNull()
      await world.db.write(tx =>
        appendEntry(tx, { userId: fan.id, delta: 30, reason: 'prediction', ref: 'match:1:2026' }),
      )
      await earn(world, fan.id, 9)
      expect(await tableOf(fan)).toMatchObject({ id: 'tips', entries: [{ points: 30 }] })
      await endDivision(world, 'tips')
    })

    test('shows no name of a fan who is blocked, hidden or anonymous, and no points after a fan has left the boards', async () => {
      const fans = await four()
      const [ada, bea, caio, dina] = fans
      await earnEach(fans, [40, 30, 20, 10])
      await block(bea, ada.handle)
      await caio.patch('/api/user/privacy', { leaderboardName: 'anonymous' })
      await dina.send('/api/user/leaderboard-membership', { method: 'DELETE' })
      expect(shown(await tableOf(ada))).toEqual([
        [ada.handle, 40, 'up'],
        [null, 30, 'stays'],
        [null, 20, 'stays'],
        [dina.handle, 0, 'leaves'],
      ])
    })

    test('merges two members into one, with the points of both, and erases a seat', async () => {
      const fans = await four()
      const [ada, bea, caio, dina] = fans
      await earnEach(fans, [40, 30, 20, 10])
      await world.db.write(tx =>
        mergeFans(tx, { from: bea.id, into: dina.id, mergedBy: 'test', reason: null }),
      )
      expect(shown(await tableOf(ada))).toEqual([
        [ada.handle, 40, 'up'],
        [dina.handle, 40, 'stays'],
        [caio.handle, 20, 'stays'],
      ])
      const fresh = await player(world)
      await world.db.write(tx =>
        mergeFans(tx, { from: dina.id, into: fresh.id, mergedBy: 'test', reason: null }),
      )
      await earn(world, fresh.id, 1)
      expect(shown(await tableOf(fresh))[0]).toEqual([fresh.handle, 41, 'up'])
      expect(await listSeats(world)).toHaveLength(3)
      await sound()
    })
  },
  { worldPer: 'test' },
)
