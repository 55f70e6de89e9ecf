/** Automatic leagues: who is in them, what counts, and what takes a fan out. */
import { beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { checkFan } from '../../../src/audit/points/verify-points.ts'
import { appendEntry, takeBack } from '../../../src/economy/points/ledger.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { repairFan } from '../../../src/operate/admin/repair-fan.ts'
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { copyGroupScores } from '../../../src/play/leagues/copy-scores.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { expectStatus } from '../packs/packs-world.ts'
import { earn, outcomeOf } from './leagues-world.ts'

const TEAMS = ['rovers', 'harbour']
/** Each test has a country of its own. */
const COUNTRIES = ['GB', 'FR', 'DE', 'ES', 'IT', 'PT', 'NL', 'BE', 'DK', 'SE', 'NO', 'FI', 'PL', 'AT']

onEachEngine('Automatic leagues', world => {
  const countries = [...COUNTRIES]
  let country = ''
  const nextCountry = () => (country = countries.shift() ?? 'CH')
  const later = (ms = 1_000) => {
    world.clock.ms += ms
  }
  /** Copies what has happened by now. */
  const copy = async () => {
    later(61_000)
    await copyGroupScores(world)
  }
  const player = async (profile: Record<string, unknown> = { country }) => {
    const fan = await namedFan(world)
    expectStatus(200, await fan.patch('/api/user/profile', profile))
    await fan.put('/api/user/leaderboard-membership')
    return fan
  }
  const listOf = async (fan: NamedFan) => expectStatus(200, await fan.get('/api/user/leagues')).automatic
  const readTable = (fan: NamedFan, id: string, query = '') => fan.get(`/api/leagues/${id}${query}`)
  const tableOf = async (fan: NamedFan, id = `country:${country}`) => {
    const { entries } = expectStatus(200, await readTable(fan, id))
    return entries.map(({ handle, points }: { handle: string; points: number }) => [handle, points])
  }
  const findingsOf = async ({ id }: NamedFan) =>
    (await world.db.snapshot(reader => checkFan(reader, id))).findings

  beforeAll(() =>
    world.db.write(async tx => {
      const name = (id: string) => (id === 'rovers' ? { en: 'Rovers', pt: 'Andarilhos' } : 'Harbour')
      for (const id of TEAMS)
        await writeRecord(tx, { kind: 'team', entry: { id, name: name(id), shortName: id.slice(0, 3) } })
    }),
  )

  test('are there without joining, with the exact rank', async () => {
    nextCountry()
    const ada = await player({ country, favoriteTeamId: 'rovers' })
    const calebe = await player({ country, favoriteTeamId: 'harbour' })
    const mia = await player({ country })
    await earn(world, calebe.id, 30)
    later()
    await earn(world, ada.id, 30)
    await earn(world, mia.id, 31)
    await copy()
    expect(await listOf(ada)).toMatchObject([
      { id: 'team:rovers', automatic: 'team', name: 'Rovers', me: { rank: 1, points: 30 } },
      {
        id: `country:${country}`,
        automatic: 'country',
        name: country,
        me: { rank: 3, points: 30 },
        members: 3,
      },
    ])
    expect(await tableOf(ada)).toEqual([
      [mia.handle, 31],
      [calebe.handle, 30],
      [ada.handle, 30],
    ])
    expect((await findingsOf(ada)).concat(await findingsOf(mia))).toEqual([])
  })

  test('name the team in the language of the fan', async () => {
    nextCountry()
    const ada = await player({ favoriteTeamId: 'rovers', locale: 'pt-BR' })
    expect(await listOf(ada)).toMatchObject([{ id: 'team:rovers', name: 'Andarilhos' }])
    expect(await readTable(ada, 'team:rovers', '?lang=en')).toMatchObject({ body: { name: 'Rovers' } })
  })

  test('are shown to their fans only, and nobody changes them', async () => {
    nextCountry()
    const ada = await player()
    const stranger = await player({ country: 'JP' })
    const id = `country:${country}`
    expect((await readTable(ada, id)).status).toBe(200)
    for (const wrong of [id, 'country:', 'country:XX', 'team:rovers'])
      expect(outcomeOf(await readTable(stranger, wrong))).toBe('league_not_found')
    expect(outcomeOf(await ada.patch(`/api/leagues/${id}`, { locked: true }))).toBe('league_not_found')
    expect(outcomeOf(await ada.put(`/api/leagues/${id}/bans/${stranger.handle}`))).toBe('league_not_found')
    expect(outcomeOf(await ada.get(`/api/leagues/${id}/rounds`))).toBe('league_not_found')
  })

  test('show what is earned and taken back after a minute', async () => {
    nextCountry()
    const ada = await player()
    await earn(world, ada.id, 10)
    await copy()
    const ref = `taken-${ada.id}`
    await world.db.write(tx => appendEntry(tx, { userId: ada.id, delta: 25, reason: 'rule', ref }))
    later(30_000)
    await copyGroupScores(world)
    expect(await tableOf(ada)).toEqual([[ada.handle, 10]])
    await copy()
    expect(await tableOf(ada)).toEqual([[ada.handle, 35]])
    await world.db.write(tx => takeBack(tx, { userId: ada.id, reason: 'rule', ref }))
    await copy()
    expect(await tableOf(ada)).toEqual([[ada.handle, 10]])
    expect(await findingsOf(ada)).toEqual([])
  })

  test('place a fan of an onboarding after a minute', async () => {
    nextCountry()
    const ada = await namedFan(world)
    expectStatus(200, await ada.post('/api/user/onboarding', { profile: { country } }))
    await copy()
    expect(await listOf(ada)).toMatchObject([{ id: `country:${country}`, members: 1 }])
    expect(await findingsOf(ada)).toEqual([])
  })

  test('follow a change of the team and the country at once', async () => {
    nextCountry()
    const ada = await player({ country, favoriteTeamId: 'rovers' })
    await earn(world, ada.id, 10)
    const change = async (profile: Record<string, unknown>) => {
      expectStatus(200, await ada.patch('/api/user/profile', profile))
      return (await listOf(ada)).map(({ id }: { id: string }) => id)
    }
    expect(await change({ favoriteTeamId: 'harbour' })).toEqual(['team:harbour', `country:${country}`])
    expect(await change({ country: null })).toEqual(['team:harbour'])
    expect(await change({ favoriteTeamId: null })).toEqual([])
    expect(await change({ country })).toEqual([`country:${country}`])
    expect(await tableOf(ada)).toEqual([[ada.handle, 10]])
    expect(outcomeOf(await readTable(ada, 'team:rovers'))).toBe('league_not_found')
    await copy()
    expect(await findingsOf(ada)).toEqual([])
  })

  test('do not have a fan who has left the leaderboards, until they return', async () => {
    nextCountry()
    const [ada, calebe] = [await player(), await player()]
    await earn(world, ada.id, 10)
    await copy()
    await ada.send('/api/user/leaderboard-membership', { method: 'DELETE' })
    expect(await listOf(ada)).toEqual([])
    expect(await tableOf(calebe)).toEqual([[calebe.handle, 0]])
    await copy()
    expect(await findingsOf(ada)).toEqual([])
    await ada.put('/api/user/leaderboard-membership')
    expect(await tableOf(calebe)).toEqual([
      [ada.handle, 10],
      [calebe.handle, 0],
    ])
  })

  test('have one place for two accounts that are merged', async () => {
    nextCountry()
    const ada = await player({ country })
    const second = await player({ country, favoriteTeamId: 'rovers' })
    await earn(world, ada.id, 10)
    await earn(world, second.id, 5)
    await copy()
    await world.db.write(tx =>
      mergeFans(tx, { from: second.id, into: ada.id, mergedBy: 'tests', reason: null }),
    )
    expect(await tableOf(ada)).toEqual([[ada.handle, 15]])
    expect((await listOf(ada)).map(({ id }: { id: string }) => id)).toEqual([
      'team:rovers',
      `country:${country}`,
    ])
    await copy()
    expect((await findingsOf(ada)).concat(await findingsOf(second))).toEqual([])
  })

  test('forget an erased fan', async () => {
    nextCountry()
    const [ada, calebe] = [await player({ country, favoriteTeamId: 'rovers' }), await player()]
    await earn(world, ada.id, 10)
    await copy()
    await world.db.write(tx => eraseUser(tx, { id: ada.id }))
    expect(await tableOf(calebe)).toEqual([[calebe.handle, 0]])
    await copy()
    expect(await findingsOf(ada)).toEqual([])
  })

  test('show private fans without a name, and nothing of blocked ones', async () => {
    nextCountry()
    const [ada, calebe, mia] = [await player(), await player(), await player()]
    expectStatus(200, await calebe.patch('/api/user/privacy', { leaderboardName: 'anonymous' }))
    expectStatus(204, await ada.put(`/api/user/blocks/${mia.handle}`))
    const names = (await tableOf(ada)).map(([handle]: [string | null]) => handle)
    expect(names.toSorted()).toEqual([ada.handle, null, null].toSorted())
  })

  test('are read in pages', async () => {
    nextCountry()
    const fans = [await player(), await player(), await player()]
    const [first] = fans
    if (!first) throw new Error('no fan')
    const shown: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = expectStatus(
        200,
        await readTable(first, `country:${country}`, `?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`),
      )
      shown.push(...page.entries.map(({ handle }: { handle: string }) => handle))
      cursor = page.nextCursor
    }
    expect(shown.toSorted()).toEqual(fans.map(({ handle }) => handle).toSorted())
    const wrong = await readTable(first, `country:${country}`, '?cursor=wrong')
    expect(outcomeOf(wrong)).toBe('invalid_cursor')
  })

  test('are checked and repaired with the ledger', async () => {
    nextCountry()
    const ada = await player()
    await earn(world, ada.id, 10)
    await copy()
    const { leaderboardScores: scores } = world.db.tables
    const board = `country:${country}`
    await world.db.write(tx => tx.update(scores).set({ minusPoints: -99 }).where(eq(scores.board, board)))
    expect(await findingsOf(ada)).toMatchObject([{ what: 'leaderboard_scores.minus_points', board }])
    expect((await world.db.write(tx => repairFan(tx, ada.id))).outcome).toBe('repaired')
    expect(await tableOf(ada)).toEqual([[ada.handle, 10]])
    await world.db.write(tx => tx.delete(scores).where(eq(scores.board, board)))
    expect(await findingsOf(ada)).toMatchObject([{ what: 'leaderboard_scores.row', board }])
    await world.db.write(tx => repairFan(tx, ada.id))
    expect(await findingsOf(ada)).toEqual([])
  })

  test('are exact after changes at the same time as copies', async () => {
    nextCountry()
    const fans = [await player(), await player(), await player()]
    const change = (fan: NamedFan, n: number) =>
      fan.patch('/api/user/profile', {
        favoriteTeamId: [...TEAMS, null][n % 3],
        country: ['JP', 'KR', null][(n + 1) % 3],
      })
    for (let round = 0; round < 4; round++) {
      later(61_000)
      await Promise.all([
        ...fans.map((fan, n) => change(fan, n + round)),
        ...fans.map(fan => earn(world, fan.id, 1 + round)),
        copyGroupScores(world),
        ...fans.map((fan, n) => change(fan, n + round + 1)),
      ])
    }
    await copy()
    for (const fan of fans) expect(await findingsOf(fan)).toEqual([])
    const { leaderboardScores: scores } = world.db.tables
    for (const { id } of fans) {
      const own = await world.db.read.select().from(scores).where(eq(scores.userId, id))
      const all = own.find(({ board }) => board === 'all')
      const copies = own.filter(({ board }) => board.includes(':'))
      expect(copies.every(({ minusPoints }) => minusPoints === all?.minusPoints)).toBe(true)
    }
  })
})
