/** Processes that join, leave, create and earn at the same time. */
import { expect, test } from 'bun:test'
import { and, eq, gte, inArray } from 'drizzle-orm'
import { countRows } from '../../../db/pages.ts'
import { MAX_MEMBERS } from '../../../db/schema/play/leagues.ts'
import { findWrongBaselines, findWrongLeagues } from '../../../src/audit/play/verify-leagues.ts'
import { MAX_OWNED } from '../../../src/play/leagues/problems.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { onEngine } from '../../support/world.ts'
import { expectStatus } from '../packs/packs-world.ts'
import { create, join, read } from './leagues-world.ts'

interface Work {
  fans: NamedFan[]
  leagues?: string[]
  others?: NamedFan[]
  times?: number
}

for (const engine of engines) {
  onEngine(engine, 'Processes that act in leagues', world => {
    let started = 0
    async function run(action: string, { fans, leagues = [''], others, times = 1 }: Work) {
      const handles = others?.map(({ handle }) => handle) ?? ['']
      const work = { fans: fans.map(({ id }) => id), leagues, handles, times, name: `race-${++started}` }
      const child = Bun.spawn(
        [
          ...commandOf('test/play/leagues/racing-process.ts'),
          ...[world.databaseUrl ?? '', action, JSON.stringify(work)],
        ],
        { cwd: `${import.meta.dir}/../../..`, stdout: 'pipe', stderr: 'pipe' },
      )
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      if ((await child.exited) !== 0) throw new Error(err)
      return JSON.parse(out) as Record<string, number>
    }
    const makeFans = async (count: number) => {
      const made: NamedFan[] = []
      for (let n = 0; n < count; n++) {
        const fan = await namedFan(world)
        await fan.put('/api/user/leaderboard-membership')
        made.push(fan)
      }
      return made
    }
    const sumOf = (all: Record<string, number>[]) => {
      const sum: Record<string, number> = {}
      for (const outcomes of all)
        for (const [outcome, count] of Object.entries(outcomes)) sum[outcome] = (sum[outcome] ?? 0) + count
      return sum
    }
    const sound = async () => expect(await findWrongLeagues(world.db.read)).toEqual([])

    test('fill a league to its limit, and no further', async () => {
      const owner = await namedFan(world)
      const { id, code } = await create(owner)
      const { leagues, leagueMembers } = world.db.tables
      // As if there were others.
      await world.db.write(tx =>
        tx
          .update(leagues)
          .set({ members: MAX_MEMBERS - 5 })
          .where(eq(leagues.id, id)),
      )
      const groups = [await makeFans(4), await makeFans(4), await makeFans(4)]
      const sum = sumOf(await Promise.all(groups.map(fans => run('join', { fans, leagues: [code] }))))
      expect(sum).toEqual({ done: 5, league_full: 7 })
      expect(await countRows(world.db.read, leagueMembers, eq(leagueMembers.leagueId, id))).toBe(6)
      await world.db.write(tx => tx.update(leagues).set({ members: 6 }).where(eq(leagues.id, id)))
      await sound()
    }, 120_000)

    test('make one fan own no more than a fan can own', async () => {
      const fans = await makeFans(1)
      const times = 15
      const sum = sumOf(await Promise.all([1, 2, 3].map(() => run('create', { fans, times }))))
      expect(sum).toEqual({ done: MAX_OWNED, too_many_leagues: 3 * times - MAX_OWNED })
      await sound()
    }, 120_000)

    test('join once, also the same fan in each of them', async () => {
      const { id, code } = await create(await namedFan(world))
      const fans = await makeFans(3)
      const sum = sumOf(await Promise.all([1, 2, 3].map(() => run('join', { fans, leagues: [code] }))))
      expect(sum).toEqual({ done: 3, already_member: 6 })
      const { leagues } = world.db.tables
      const [league] = await world.db.read.select().from(leagues).where(eq(leagues.id, id))
      expect(league?.members).toBe(4)
    }, 120_000)

    test('leave the count of members right, whatever the order', async () => {
      const { id, code } = await create(await namedFan(world))
      const [first = [], second = []] = [await makeFans(2), await makeFans(2)]
      await Promise.all(
        [first, second].flatMap(fans => [
          run('join', { fans, leagues: [code], times: 8 }),
          run('leave', { fans, leagues: [id], times: 8 }),
        ]),
      )
      await sound()
    }, 120_000)

    test('leave an owner who is a member, while owners are erased, leave, remove and hand over', async () => {
      const fans = await makeFans(6)
      const [ada, ben, cid, dan] = fans
      if (!ada || !ben || !cid || !dan) throw new Error('six fans were made')
      const leagues: { id: string; code: string }[] = []
      for (let n = 0; n < 8; n++) {
        const league = await create(ada)
        for (const fan of fans.slice(1)) expectStatus(200, await join(fan, league.code))
        leagues.push(league)
      }
      const ids = leagues.map(({ id }) => id)
      await Promise.all([
        run('erase', { fans: [ada, ben] }),
        run('leave', { fans: [cid], leagues: ids }),
        run('kick', { fans, leagues: ids, others: [dan, ada, ben] }),
        run('hand', { fans, leagues: ids, others: fans }),
      ])
      await sound()
      const { leagueMembers } = world.db.tables
      for (const { id: userId } of [ada, ben, cid])
        expect(await countRows(world.db.read, leagueMembers, eq(leagueMembers.userId, userId))).toBe(0)
    }, 120_000)

    test('delete a league when its last members are erased, leave and are removed', async () => {
      const fans = await makeFans(3)
      const [ada, ben, cid] = fans
      if (!ada || !ben || !cid) throw new Error('three fans were made')
      const ids: string[] = []
      for (let n = 0; n < 8; n++) {
        const { id, code } = await create(ada)
        for (const fan of [ben, cid]) expectStatus(200, await join(fan, code))
        ids.push(id)
      }
      await Promise.all([
        run('erase', { fans: [ada] }),
        run('leave', { fans: [ben, cid], leagues: ids }),
        run('kick', { fans, leagues: ids, others: [cid, ben] }),
      ])
      await sound()
      const { leagues } = world.db.tables
      expect(await countRows(world.db.read, leagues, inArray(leagues.id, ids))).toBe(0)
    }, 120_000)

    test('keep a banned fan out, who joins by the code meanwhile', async () => {
      const owner = await namedFan(world)
      const { id, code } = await create(owner)
      const fans = await makeFans(6)
      const joining = () => run('join', { fans, leagues: [code], times: 12 })
      const banning = () => run('ban', { fans: [owner], leagues: [id], others: fans })
      await Promise.all([joining(), joining(), banning()])
      const { leagueBans: bans, leagueMembers: members } = world.db.tables
      const bannedAndIn = () =>
        Promise.all([bans, members].map(of => countRows(world.db.read, of, eq(of.leagueId, id))))
      expect(await bannedAndIn()).toEqual([6, 1])
      // Bans that end and begin again.
      await Promise.all([
        joining(),
        run('unban', { fans: [owner], leagues: [id], others: fans, times: 4 }),
        run('ban', { fans: [owner], leagues: [id], others: fans, times: 4 }),
      ])
      await sound()
      await banning()
      expect(await bannedAndIn()).toEqual([6, 1])
    }, 120_000)

    test('count exactly what is earned from joining on', async () => {
      const owner = await namedFan(world)
      const fans = await makeFans(3)
      const { id, code } = await create(owner)
      const earning = [1, 2].map(() => run('earn', { fans, times: 40 }))
      const joining = run('join', { fans, leagues: [code] })
      const leaving = run('leave', { fans, leagues: [id], times: 3 })
      const again = run('join', { fans, leagues: [code], times: 10 })
      await Promise.all([...earning, joining, leaving, again])
      await run('join', { fans, leagues: [code] })
      const { pointsEntries: entries } = world.db.tables
      const table = (await read(owner, id)).entries
      for (const { id: userId, handle } of fans) {
        const entry = table.find((of: { handle: string }) => of.handle === handle)
        const isCounted = and(eq(entries.userId, userId), gte(entries.createdAt, new Date(entry?.joinedAt)))
        expect([handle, entry?.points]).toEqual([handle, await countRows(world.db.read, entries, isCounted)])
      }
      expect(await findWrongBaselines(world.db.read, { among: fans.map(({ id }) => id) })).toEqual([])
      await sound()
    }, 120_000)
  })
}
