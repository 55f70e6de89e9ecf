/** Boards of predictions: they count the points of predictions alone, per season, by the result that counts. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { exportScores } from '../../../src/economy/leaderboard/personal-data.ts'
import { rebuildRankIndex } from '../../../src/economy/leaderboard/rank-index/rank-index.ts'
import { repairFan } from '../../../src/operate/admin/repair-fan.ts'
import { matchesTag } from '../../../src/platform/cache/tags.ts'
import { expectStatus, patientFan, userIdOf } from '../../play/packs/packs-world.ts'
import { addMatch, addPredictor, predict, settleAll } from '../../play/predictions/match-world.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'

interface Entry {
  rank: number
  userId: string
  points: number
}

onEachEngine('Boards of predictions', world => {
  let seasons = 0
  const newSeason = () => `20${++seasons}/27`
  const read = async (query: string, fan?: Fan) => {
    const { status, body } = await (fan ?? world.anonymous).get(`/api/leaderboard?${query}`)
    expect([query, status]).toEqual([query, 200])
    return body
  }
  const queryOf = (season: string) => `kind=predictions&season=${encodeURIComponent(season)}`
  /** Rank and points of fans on the board of a season; null for one who is not on it. */
  const placesOf = async (season: string, fans: Fan[]) => {
    const { entries } = await read(queryOf(season))
    const found = new Map(entries.map(({ userId, rank, points }: Entry) => [userId, [rank, points]]))
    const ids = await Promise.all(fans.map(fan => userIdOf(world, fan)))
    return ids.map(id => found.get(id) ?? null)
  }
  async function findings(): Promise<Finding[]> {
    const found: Finding[] = []
    await verifyLedger(world.db, { onFinding: finding => found.push(finding) })
    return found
  }
  async function createSeason() {
    const season = newSeason()
    const match = await addMatch(world, { season })
    const exact = await addPredictor(world, match.matchId, 2, 1)
    const close = await addPredictor(world, match.matchId, 1, 0)
    const wrong = await addPredictor(world, match.matchId, 0, 0)
    return { season, match, exact, close, wrong, fans: [exact, close, wrong] }
  }

  test('count only points of predictions, of one season or of all', async () => {
    const { season, match, exact, close, wrong, fans } = await createSeason()
    await world.grant(wrong, 1_000)
    await match.finish(2, 1)
    const before = await read(queryOf(season))
    expect(before).toMatchObject({ entries: [], total: 0, me: null })
    await settleAll(world)
    const later = newSeason()
    const next = await addMatch(world, { season: later })
    await predict(close, next.matchId, 0, 0)
    await next.finish(0, 0)
    await settleAll(world)
    expect(await placesOf(season, fans)).toEqual([[1, 25], [2, 15], null])
    expect(await placesOf(later, fans)).toEqual([null, [1, 25], null])
    const { board, me, total } = await read(queryOf(season), close)
    expect(board).toEqual({
      ...{ id: `predictions:${season}`, kind: 'predictions', season },
      ...{ period: 'all', startsAt: null, endsAt: null, final: false },
    })
    expect([me.rank, me.points, total]).toEqual([2, 15, 2])
    expect((await read(queryOf(season), wrong)).me).toBeNull()
    const all = await read('kind=predictions', close)
    expect([all.board.id, all.board.season, all.me.points]).toEqual(['predictions', null, 40])
    expect((await read('kind=predictions', exact)).me.points).toBe(25)
    const userId = (await userIdOf(world, close)) ?? ''
    const exported = await exportScores(world.db.read, userId)
    expect(exported.filter(({ board }) => board.startsWith('predictions'))).toMatchObject([
      { board: 'predictions', points: 40 },
      { board: `predictions:${season}`, points: 15 },
      { board: `predictions:${later}`, points: 25 },
    ])
    expect(await findings()).toEqual([])
  })

  test('have pages in both directions, and the page around the caller', async () => {
    const { season, match, close } = await createSeason()
    await addPredictor(world, match.matchId, 3, 0)
    await match.finish(2, 1)
    await settleAll(world)
    const first = await read(`${queryOf(season)}&limit=2`)
    const second = await read(`${queryOf(season)}&limit=2&cursor=${first.nextCursor}`)
    expect([...first.entries, ...second.entries].map(({ rank, points }: Entry) => [rank, points])).toEqual([
      [1, 25],
      [2, 15],
      [3, 10],
    ])
    expect(await read(`${queryOf(season)}&limit=2&cursor=${second.previousCursor}`)).toEqual(first)
    const around = await read(`${queryOf(season)}&limit=1&around=me`, close)
    expect(around.entries.map(({ rank }: Entry) => rank)).toEqual([2])
  })

  test('after a corrected result the ranks are those of the last result, also months later', async () => {
    const { season, match, fans } = await createSeason()
    await match.finish(2, 1)
    await settleAll(world)
    world.clock.advance(90 * 86_400_000)
    await match.finish(0, 0)
    await settleAll(world)
    expect(await placesOf(season, fans)).toEqual([null, null, [1, 25]])
    await match.finish(4, 3)
    await settleAll(world)
    expect(await placesOf(season, fans)).toEqual([[1, 15], [2, 15], null])
    await match.report({ status: 'cancelled' })
    await settleAll(world)
    expect(await read(queryOf(season))).toMatchObject({ entries: [], total: 0 })
    expect(await findings()).toEqual([])
  })

  test('the season is that of the match when its settlement began', async () => {
    const { season, match, fans } = await createSeason()
    await match.finish(2, 1)
    await settleAll(world)
    const { matches } = world.db.tables
    await world.db.write(async tx => {
      await tx.update(matches).set({ season: 'another' }).where(eq(matches.id, match.matchId))
      tx.invalidate(matchesTag)
    })
    await match.finish(1, 0)
    await settleAll(world)
    expect(await placesOf(season, fans)).toEqual([[2, 15], [1, 25], null])
    expect((await read('kind=predictions&season=another')).total).toBe(0)
  })

  test('a fan who leaves is on no board, and a fan who joins later is on the boards of all seasons', async () => {
    const { season, match, exact, fans } = await createSeason()
    const late = await patientFan(world)
    await predict(late, match.matchId, 2, 1)
    await match.finish(2, 1)
    await settleAll(world)
    expectStatus(204, await exact.send('/api/user/leaderboard-membership', { method: 'DELETE' }))
    expect(await placesOf(season, [...fans, late])).toEqual([null, [1, 15], null, null])
    expect((await read('kind=predictions', exact)).me).toBeNull()
    world.clock.advance(90 * 86_400_000)
    for (const fan of [late, exact]) expectStatus(204, await fan.put('/api/user/leaderboard-membership', {}))
    expect((await placesOf(season, [...fans, late])).toSorted()).toEqual([[1, 25], [2, 25], [3, 15], null])
    expect((await read('kind=predictions', late)).me.points).toBe(25)
    expect(await findings()).toEqual([])
  })

  test('have an ETag, which a settlement changes', async () => {
    const { season, match } = await createSeason()
    const path = `/api/leaderboard?${queryOf(season)}`
    const etag = (await world.anonymous.get(path)).headers.get('etag') ?? ''
    expect((await world.anonymous.get(path, { 'if-none-match': etag })).status).toBe(304)
    await match.finish(2, 1)
    await settleAll(world)
    expect((await world.anonymous.get(path, { 'if-none-match': etag })).status).toBe(200)
  })

  test('a board of all points equals the one without a kind', async () => {
    for (const query of ['', 'period=week', 'period=month']) {
      const body = await read(query)
      expect(await read(`${query}&kind=points`)).toEqual(body)
      expect(Object.keys(body.board)).toEqual(['id', 'period', 'startsAt', 'endsAt', 'final'])
    }
  })

  test('the audit finds a wrong score, and the repair corrects it', async () => {
    const { season, match, exact, fans } = await createSeason()
    await match.finish(2, 1)
    await settleAll(world)
    const userId = (await userIdOf(world, exact)) ?? ''
    const { leaderboardScores: scores } = world.db.tables
    const board = `predictions:${season}`
    await world.db.write(tx => tx.delete(scores).where(eq(scores.board, board)))
    const found = (await findings()).filter(finding => finding.userId === userId)
    expect(found).toMatchObject([{ what: 'leaderboard_scores.row', board, expected: 25, actual: null }])
    for (const fan of fans) {
      const id = (await userIdOf(world, fan)) ?? ''
      await world.db.write(tx => repairFan(tx, id))
    }
    // The rows were deleted without their counts, which a repair of fans adds to.
    await world.db.write(tx => rebuildRankIndex(tx, board))
    expect(await placesOf(season, fans)).toEqual([[1, 25], [2, 15], null])
    expect(await findings()).toEqual([])
  })
})
