/** Leagues of one competition: which predictions count. */
import { expect, test } from 'bun:test'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'
import { expectStatus, patientFan, userIdOf } from '../packs/packs-world.ts'
import { HOUR, predict, settleAll } from '../predictions/match-world.ts'
import { create, join, POINTS, read } from './leagues-world.ts'

onEachEngine(
  'A league of one competition',
  world => {
    let count = 0
    /** A match of a competition, predicted by these fans and finished 2–1. */
    async function play(
      competition: string,
      predictors: Parameters<typeof predict>[0][],
      season = '2026/27',
    ) {
      const kickoffAt = new Date(world.clock.ms + HOUR)
      const id = `match-of-${competition.toLowerCase()}-${++count}`
      const matchId = await world.match({ id, competition, season, kickoffAt })
      for (const fan of predictors) await predict(fan, matchId, 2, 1)
      return async (homeScore = 2, revision = 2) => {
        const club = world.withToken(await world.serverKey(['matches:write']))
        const state = { status: 'finished', kickoffAt: kickoffAt.toISOString(), homeScore, awayScore: 1 }
        expectStatus(200, await club.put(`/api/matches/${matchId}`, { revision, ...state }))
        await settleAll(world)
      }
    }
    const player = async () => {
      const fan = await patientFan(world)
      expectStatus(204, await fan.put('/api/user/leaderboard-membership', {}))
      return fan
    }
    const addCup = async () =>
      world.match({ competition: 'Cup', season: '2026/27', kickoffAt: new Date(world.clock.ms + HOUR) })
    const CUP = { scoring: 'predictions', competition: 'Cup' }
    const meIn = async (fan: Client, id: string) => (await read(fan, id)).me

    test('counts only its matches, from joining or from the start, of one season or of all', async () => {
      const [ada, calebe] = [await player(), await player()]
      await addCup()
      const leagues: { id: string; code: string; competition: string }[] = []
      for (const season of [undefined, '2026/27'])
        for (const from of ['join', 'start']) leagues.push(await create(ada, { ...CUP, season, from }))
      expect(leagues[0]?.competition).toBe('Cup')
      const settle = [
        await play('Cup', [calebe]),
        await play('League', [calebe]),
        await play('Cup', [calebe], '1999/00'),
      ]
      for (const finish of settle) await finish()
      world.clock.advance(1_000)
      for (const { code } of leagues) expectStatus(200, await join(calebe, code))
      const points = async () => {
        const all: number[] = []
        for (const { id } of leagues) all.push((await meIn(calebe, id)).points)
        return all
      }
      const [, two = 0, , one = 0] = await points()
      expect(one).toBeGreaterThan(0)
      expect(await points()).toEqual([0, 2 * one, 0, one])
      expect(two).toBe(2 * one)
      await (await play('Cup', [calebe]))()
      expect(await points()).toEqual([one, 3 * one, one, 2 * one])
      const list = expectStatus(200, await calebe.get('/api/user/leagues')).leagues
      expect(list.map(({ me }: { me: { rank: number } }) => me.rank)).toEqual([1, 1, 1, 1])
      // A member who has left the leaderboards.
      await calebe.send('/api/user/leaderboard-membership', { method: 'DELETE' })
      expect(await points()).toEqual([0, 0, 0, 0])
    })

    test('follows a corrected result, and a merge', async () => {
      const [ada, from, into] = [await player(), await player(), await player()]
      await addCup()
      const { id, code } = await create(ada, CUP)
      await join(into, code)
      const finish = await play('Cup', [from, into])
      await finish()
      const { points } = await meIn(into, id)
      expect(points).toBeGreaterThan(0)
      const ids = { from: (await userIdOf(world, from)) ?? '', into: (await userIdOf(world, into)) ?? '' }
      await world.db.write(tx => mergeFans(tx, { ...ids, mergedBy: 'Mia', reason: null }))
      expect((await meIn(into, id)).points).toBe(2 * points)
      await finish(0, 3)
      expect((await meIn(into, id)).points).toBe(0)
    })

    test('is refused with all points', async () => {
      const { status, body } = await (await player()).post('/api/leagues', { ...POINTS, competition: 'Cup' })
      expect([status, body.errors?.[0]?.pointer]).toEqual([422, '/competition'])
    })
  },
  { worldPer: 'test' },
)
