/** Leagues head to head, and seasons of points. */
import { expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { findWrongLeagues, findWrongRounds } from '../../../src/audit/play/verify-leagues.ts'
import { appendEntry, takeBack } from '../../../src/economy/points/ledger.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { drawRound } from '../../../src/play/leagues/draw.ts'
import { advanceLeagues } from '../../../src/play/leagues/rounds.ts'
import { tellResults } from '../../../src/play/leagues/tell-results.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { expectStatus } from '../packs/packs-world.ts'
import { create, earn, join, leave, outcomeOf, POINTS, read } from './leagues-world.ts'

const DAY = 86_400_000
const WEEK = 7 * DAY
const AFTER = 61_000

interface Side {
  number: number
  handle: string | null
}

onEachEngine(
  'A league head to head',
  world => {
    const players = async (count: number) => {
      const fans: NamedFan[] = []
      for (let n = 0; n < count; n++) {
        const fan = await namedFan(world)
        await fan.put('/api/user/leaderboard-membership')
        fans.push(fan)
      }
      return fans as [NamedFan, NamedFan, ...NamedFan[]]
    }
    const settle = async () => {
      await advanceLeagues(world)
      await tellResults(world)
    }
    const roundsOf = async (fan: NamedFan, id: string, query = '') =>
      expectStatus(200, await fan.get(`/api/leagues/${id}/rounds${query}`))
    /** Tokens last shorter than rounds. */
    const again = async (fan: NamedFan): Promise<NamedFan> =>
      Object.assign(fan, world.withToken(await world.idp.issueToken(fan.subject)))
    const sound = async () => {
      expect(await findWrongLeagues(world.db.read)).toEqual([])
      expect(await findWrongRounds(world.db.read)).toEqual([])
    }
    /** A week later, and the minute after which its points are final. */
    async function nextWeek(fans: NamedFan[]) {
      world.clock.advance(WEEK)
      await settle()
      for (const fan of fans) await again(fan)
    }
    async function started(count: number) {
      const fans = await players(count)
      const league = await create(fans[0], { format: 'head_to_head' })
      for (const fan of fans.slice(1)) await join(fan, league.code)
      await nextWeek(fans)
      return { fans, id: league.id as string, code: league.code as string }
    }

    test('draws a round for the week, as anybody computes it, among members who have joined', async () => {
      const { fans, id, code } = await started(3)
      const late = await namedFan(world)
      await join(late, code)
      const { seed, rounds } = await roundsOf(fans[0], id)
      expect(rounds).toMatchObject([{ id: '1', week: expect.stringMatching(/^\d{4}-W\d\d$/) }])
      const [{ pairs, bye, startsAt, endsAt }] = rounds
      expect(Date.parse(endsAt) - Date.parse(startsAt)).toBe(WEEK)
      const shown = pairs.map(({ home, away }: { home: Side; away: Side }) => ({
        home: home.number,
        away: away.number,
      }))
      expect([...shown, { home: bye.number, away: null }]).toEqual(
        expect.arrayContaining(drawRound(seed, 1, [1, 2, 3])),
      )
      const handles = [...pairs.flatMap(({ home, away }: { home: Side; away: Side }) => [home, away]), bye]
      expect(handles.map(({ handle }: Side) => handle).toSorted()).toEqual(
        fans.map(({ handle }) => handle).toSorted(),
      )
      expect(pairs[0]).toMatchObject({ homePoints: null, awayPoints: null })
      expect(outcomeOf(await (await namedFan(world)).get(`/api/leagues/${id}/rounds`))).toBe(
        'league_not_found',
      )
      await sound()
    })

    test('gives 3 points for a win and 1 for a draw, and all points break ties', async () => {
      const { fans, id } = await started(2)
      const [ada, calebe] = fans
      await earn(world, ada.id, 10)
      await earn(world, calebe.id, 7)
      await nextWeek(fans)
      await earn(world, ada.id, 5)
      await earn(world, calebe.id, 5)
      await nextWeek(fans)
      await earn(world, calebe.id, 9)
      await nextWeek(fans)
      const { entries, me, lastRound } = await read(ada, id)
      expect(entries).toMatchObject([
        { handle: calebe.handle, points: 4, rank: 1 },
        { handle: ada.handle, points: 4, rank: 2 },
      ])
      expect(me).toEqual({ rank: 2, points: 4 })
      const pointsOf = ({
        home,
        homePoints,
        awayPoints,
      }: {
        home: Side
        homePoints: number
        awayPoints: number
      }) => (home.handle === ada.handle ? [homePoints, awayPoints] : [awayPoints, homePoints])
      expect(lastRound).toMatchObject({ id: '3', bye: null })
      expect(pointsOf(lastRound.pairs[0])).toEqual([0, 9])
      const all = await roundsOf(calebe, id)
      type Shown = { id: string; pairs: [Parameters<typeof pointsOf>[0]] }
      expect(all.rounds.map(({ id: of, pairs: [pair] }: Shown) => [of, pointsOf(pair)])).toEqual([
        ['4', [null, null]],
        ['3', [0, 9]],
        ['2', [5, 5]],
        ['1', [10, 7]],
      ])
      await sound()
    })

    test('counts an entry by its time, also between two rounds, and a taking-back while the round is not final', async () => {
      const { fans, id } = await started(2)
      const [ada, calebe] = fans
      const { rounds } = await roundsOf(ada, id)
      const end = Date.parse(rounds[0].endsAt)
      const book = (at: number, userId: string, delta: number, ref: string) => {
        world.clock.ms = at
        return world.db.write(tx => appendEntry(tx, { userId, delta, reason: 'rule', ref: `${id}-${ref}` }))
      }
      const undo = (ref: string) =>
        world.db.write(tx => takeBack(tx, { userId: ada.id, reason: 'rule', ref: `${id}-${ref}` }))
      await book(end - 2, ada.id, 100, 'taken')
      await book(end - 1, ada.id, 10, 'last')
      await book(end, ada.id, 1_000, 'next')
      await book(end + 1, calebe.id, 1, 'late')
      await undo('taken')
      world.clock.ms = end + AFTER
      await settle()
      await undo('last')
      await settle()
      const viewer = await again(ada)
      const { lastRound } = await read(viewer, id)
      const { home, homePoints, awayPoints } = lastRound.pairs[0]
      expect(home.handle === ada.handle ? [homePoints, awayPoints] : [awayPoints, homePoints]).toEqual([
        10, 0,
      ])
      await sound()
    })

    test('a member who leaves scores nothing, and joins again under another number', async () => {
      const { fans, id, code } = await started(2)
      const [ada, calebe] = fans
      await earn(world, calebe.id, 50)
      await earn(world, ada.id, 1)
      expect(outcomeOf(await leave(calebe, id))).toBe(204)
      expect(outcomeOf(await join(calebe, code))).toBe(200)
      await nextWeek(fans)
      await nextWeek(fans)
      const { rounds } = await roundsOf(ada, id)
      const sides = rounds.at(-1).pairs.flatMap(({ home, away }: { home: Side; away: Side }) => [home, away])
      expect(sides).toContainEqual({ number: 2, handle: null, displayName: null, avatarUrl: null })
      expect((await read(ada, id)).entries).toMatchObject([
        { number: 1, points: 4 },
        { number: 3, points: 1 },
      ])
      await sound()
    })

    test('tells each member of the result once, whatever runs again', async () => {
      const { fans, id } = await started(3)
      const [ada] = fans
      await earn(world, ada.id, 4)
      await nextWeek(fans)
      world.clock.advance(AFTER)
      await Promise.all([settle(), settle()])
      await settle()
      const { events } = world.db.tables
      for (const fan of fans) {
        const rows = await world.db.read
          .select()
          .from(events)
          .where(and(eq(events.userId, fan.id), eq(events.type, 'league.round_closed')))
        expect(rows.map(({ data }) => JSON.parse(data ?? '{}'))).toMatchObject([
          { leagueId: id, roundId: '1' },
        ])
      }
      await sound()
    })

    test('catches up after a pause of weeks, and a merge keeps the pairs of the fan who remains', async () => {
      const { fans, id } = await started(3)
      const [ada, from, into] = fans as unknown as [NamedFan, NamedFan, NamedFan]
      await earn(world, ada.id, 4)
      world.clock.advance(3 * WEEK + AFTER)
      await settle()
      const viewer = await again(ada)
      const { rounds } = await roundsOf(viewer, id, '?limit=2')
      expect(rounds.map(({ id: of }: { id: string }) => of)).toEqual(['4', '3'])
      await world.db.write(tx =>
        mergeFans(tx, { from: from.id, into: into.id, mergedBy: 'Mia', reason: null }),
      )
      world.clock.advance(WEEK)
      await settle()
      expect(await read(await again(ada), id)).toMatchObject({ members: 2 })
      await sound()
    })

    test('a league of a season of points counts what is earned in it, and ends with it', async () => {
      const at = world.clock.ms
      const [startsAt, endsAt] = [new Date(at + DAY), new Date(at + 3 * DAY)]
      const season = `season-${at}`
      await world.db.write(tx =>
        tx.insert(tx.tables.seasons).values({
          ...{ id: season, name: season, startsAt, endsAt, active: true },
          ...{ createdAt: startsAt, updatedAt: startsAt },
        }),
      )
      const fans = await players(3)
      const [ada, calebe, late] = fans as unknown as [NamedFan, NamedFan, NamedFan]
      const wrong = await ada.post('/api/leagues', { ...POINTS, season: 'no-such-season' })
      expect([wrong.status, wrong.body.errors?.[0]?.pointer]).toEqual([422, '/season'])
      const leagues: { id: string; code: string }[] = []
      for (const from of ['join', 'start']) leagues.push(await create(ada, { season, from }))
      for (const { code } of leagues) await join(calebe, code)
      await earn(world, ada.id, 1)
      world.clock.ms = startsAt.getTime()
      await earn(world, ada.id, 10)
      await earn(world, late.id, 30)
      world.clock.advance(DAY)
      const again1 = await again(late)
      for (const { code } of leagues) await join(again1, code)
      await earn(world, late.id, 200)
      const pointsOf = async () => {
        const viewer = await again(ada)
        const tables = []
        for (const { id } of leagues)
          tables.push(
            Object.fromEntries(
              (await read(viewer, id)).entries.map(
                ({ handle, points }: { handle: string; points: number }) => [handle, points],
              ),
            ),
          )
        return tables
      }
      const expected = [200, 230].map(points => ({
        [ada.handle]: 10,
        [calebe.handle]: 0,
        [late.handle]: points,
      }))
      expect(await pointsOf()).toEqual(expected)
      world.clock.ms = endsAt.getTime() + AFTER
      await earn(world, ada.id, 1_000)
      await settle()
      expect(await pointsOf()).toEqual(expected)
      const [, fromStart] = leagues
      const joined = await namedFan(world)
      expect((await join(joined, fromStart?.code ?? '')).body.me.points).toBe(0)
      await sound()
    })
  },
  { worldPer: 'test' },
)
