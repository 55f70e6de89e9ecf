/** Tables of leagues: which points count, in which order, and in which pages. */
import { expect, test } from 'bun:test'
import { and, asc, eq } from 'drizzle-orm'
import { findWrongBaselines, findWrongLeagues } from '../../../src/audit/play/verify-leagues.ts'
import { appendEntry, takeBack } from '../../../src/economy/points/ledger.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { create, earn, join, leave, outcomeOf, read } from './leagues-world.ts'

interface Entry {
  handle: string | null
  rank: number
  points: number
}

onEachEngine('The table of a league', world => {
  const tableOf = async (fan: NamedFan, id: string) =>
    Object.fromEntries(
      (await read(fan, id)).entries.map(({ handle, points }: Entry) => [handle, points]),
    ) as Record<string, number>
  /** Fans on the leaderboards. */
  const made: string[] = []
  const players = async (count: number) => {
    const fans: NamedFan[] = []
    for (let n = 0; n < count; n++) {
      const fan = await namedFan(world)
      await fan.put('/api/user/leaderboard-membership')
      fans.push(fan)
      made.push(fan.id)
    }
    return fans as [NamedFan, NamedFan, ...NamedFan[]]
  }
  const later = (ms = 1_000) => {
    world.clock.ms += ms
  }
  let refs = 0
  const grant = async (userId: string, delta: number) => {
    const ref = `league-rule-${++refs}`
    await world.db.write(tx => appendEntry(tx, { userId, delta, reason: 'rule', ref }))
    return () => world.db.write(tx => takeBack(tx, { userId, reason: 'rule', ref }))
  }
  /** A settled prediction of a match of a season. */
  const predicted = (userId: string, delta: number, season: string) =>
    world.db.write(tx =>
      appendEntry(tx, { userId, delta, reason: 'prediction', ref: `match-${++refs}:1:${season}` }),
    )
  const sound = async () => {
    const all = { among: made }
    expect(await findWrongLeagues(world.db.read)).toEqual([])
    expect(await findWrongBaselines(world.db.read, all)).toEqual([])
  }

  test('counts from joining, by the time of the entry', async () => {
    const [ada, calebe] = await players(2)
    await earn(world, ada.id, 500)
    await earn(world, calebe.id, 70)
    later()
    const { id, code } = await create(ada)
    await earn(world, ada.id, 20)
    await earn(world, calebe.id, 9)
    later()
    await join(calebe, code)
    await earn(world, calebe.id, 30)
    const { entries, me } = await read(ada, id)
    expect(entries).toMatchObject([
      { handle: calebe.handle, rank: 1, points: 30 },
      { handle: ada.handle, rank: 2, points: 20 },
    ])
    expect(me).toEqual({ rank: 2, points: 20 })
    expect((await calebe.get('/api/user/leagues')).body.leagues).toMatchObject([
      { me: { rank: 1, points: 30 } },
    ])
  })

  test('counts from the start of the league for those who join late', async () => {
    const [ada, calebe] = await players(2)
    await earn(world, calebe.id, 70)
    later()
    const { id, code } = await create(ada, { from: 'start' })
    await earn(world, calebe.id, 9)
    later()
    await join(calebe, code)
    expect(await tableOf(ada, id)).toEqual({ [ada.handle]: 0, [calebe.handle]: 9 })
  })

  test('counts predictions alone, of all seasons or of one, from its start or from joining', async () => {
    const [ada, calebe] = await players(2)
    await world.match({ season: '2026/27', kickoffAt: new Date(world.clock.ms + 3_600_000) })
    const leagues = []
    for (const season of [undefined, '2026/27'])
      for (const from of ['join', 'start'])
        leagues.push(await create(ada, { scoring: 'predictions', season, from }))
    await earn(world, calebe.id, 1_000)
    await predicted(calebe.id, 1, '2026/27')
    await predicted(calebe.id, 10, '2025/26')
    later()
    for (const { code } of leagues) await join(calebe, code)
    later()
    await predicted(calebe.id, 100, '2026/27')
    await predicted(calebe.id, 200, '2025/26')
    const points = []
    for (const { id } of leagues) points.push((await tableOf(ada, id))[calebe.handle])
    expect(points).toEqual([300, 311, 100, 101])
  })

  test('a grant that is taken back counts no more, and one from before never did', async () => {
    const [ada] = await players(1)
    const undoBefore = await grant(ada.id, 40)
    later()
    const { id } = await create(ada)
    const undo = await grant(ada.id, 5)
    await earn(world, ada.id, 100)
    await undoBefore()
    expect(await tableOf(ada, id)).toEqual({ [ada.handle]: 105 })
    await undo()
    expect(await tableOf(ada, id)).toEqual({ [ada.handle]: 100 })
    await sound()
  })

  test('an entry that is booked after joining, but is older, does not count', async () => {
    const [ada] = await players(1)
    const at = world.clock.ms
    later()
    const { id } = await create(ada)
    // As by a unit of work that began before, and waited.
    world.clock.ms = at
    await earn(world, ada.id, 40)
    later(2_000)
    await earn(world, ada.id, 2)
    expect(await tableOf(ada, id)).toEqual({ [ada.handle]: 2 })
    await sound()
  })

  test('what a merge carries over counts by when it was earned', async () => {
    const [ada, from, into] = (await players(3)) as [NamedFan, NamedFan, NamedFan]
    const undo = await grant(from.id, 1_000)
    await earn(world, into.id, 2_000)
    later()
    const { id, code } = await create(ada)
    later()
    await join(into, code)
    await earn(world, from.id, 30)
    await earn(world, into.id, 4)
    later()
    await world.db.write(tx => mergeFans(tx, { from: from.id, into: into.id, mergedBy: 'Mia', reason: null }))
    expect((await tableOf(ada, id))[into.handle]).toBe(34)
    await undo()
    expect((await tableOf(ada, id))[into.handle]).toBe(34)
    await sound()
  })

  test('a member who has left the leaderboards has no points until they take part again', async () => {
    const [ada, calebe] = await players(2)
    const { id, code } = await create(ada)
    await join(calebe, code)
    await earn(world, calebe.id, 30)
    await calebe.send('/api/user/leaderboard-membership', { method: 'DELETE' })
    expect(await tableOf(ada, id)).toEqual({ [ada.handle]: 0, [calebe.handle]: 0 })
    await calebe.put('/api/user/leaderboard-membership')
    expect(await tableOf(ada, id)).toEqual({ [ada.handle]: 0, [calebe.handle]: 30 })
  })

  test('has pages, and the own place on each', async () => {
    const fans = await players(7)
    const [ada, ...others] = fans
    const { id, code } = await create(ada)
    for (const [n, fan] of others.entries()) {
      later()
      await join(fan, code)
      // Ties: who reached the points first is ahead.
      later()
      await earn(world, fan.id, 10 * Math.floor(n / 2) + 10)
    }
    const expected = [...[4, 5, 2, 3, 0, 1].map(n => others[n]?.handle ?? ''), ada.handle]
    for (const viewer of [ada, others[3] ?? ada]) {
      const seen: Entry[] = []
      for (let cursor = ''; ; ) {
        const page = await read(viewer, id, `?limit=2${cursor && `&cursor=${cursor}`}`)
        seen.push(...page.entries)
        expect(page.me.rank).toBe(expected.indexOf(viewer.handle) + 1)
        if (page.nextCursor === null) break
        cursor = page.nextCursor
      }
      expect(seen.map(({ handle }) => handle)).toEqual(expected)
      expect(seen.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7])
    }
    const other = await create(ada)
    const { nextCursor } = await read(ada, id, '?limit=2')
    expect(outcomeOf(await ada.get(`/api/leagues/${other.id}?cursor=${nextCursor}`))).toBe('invalid_cursor')
  })

  test('equals the entries since joining, whatever happens in which order', async () => {
    const fans = await players(3)
    const [ada] = fans
    const league = await create(ada)
    const undos: (() => Promise<unknown>)[] = []
    const random = seeded(7)
    const pick = <Of>(list: readonly Of[]): Of | undefined => list[Math.floor(random() * list.length)]
    const { pointsEntries: entries } = world.db.tables
    for (let n = 0; n < 60; n++) {
      const fan = pick(fans) ?? ada
      later(Math.floor(random() * 3) * 500)
      const action = random()
      if (action < 0.4) undos.push(await grant(fan.id, 1 + Math.floor(random() * 50)))
      else if (action < 0.55) await pick(undos)?.()
      else if (action < 0.65) {
        // A unit of work that began before.
        world.clock.ms -= 700
        await earn(world, fan.id, 7)
        later(700)
      } else if (action < 0.85) await join(fan, league.code)
      else if (fan !== ada) await leave(fan, league.id)
      for (const { handle, joinedAt, points } of (await read(ada, league.id)).entries) {
        const { id: userId } = fans.find(of => of.handle === handle) ?? ada
        const rows = await world.db.read
          .select()
          .from(entries)
          .where(and(eq(entries.userId, userId)))
          .orderBy(asc(entries.seq))
        const counted = rows.filter(row => row.delta > 0 && row.createdAt.toISOString() >= joinedAt)
        const isTaken = (ref: string) => rows.some(row => row.reason === 'rule_void' && row.ref === ref)
        const sum = counted.reduce((all, { delta, ref }) => all + (isTaken(ref) ? 0 : delta), 0)
        expect({ n, handle, points }).toEqual({ n, handle, points: sum })
      }
    }
    await sound()
  })
})

/** Numbers of 0 to 1 that follow from a seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
