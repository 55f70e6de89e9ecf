/** Points by the crowd: the split of a match, from its deadline on. */
import { expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { matchKind } from '../../../src/club/matches/match-kind.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { crowdBonus } from '../../../src/play/predictions/score.ts'
import { freezeDueSplits } from '../../../src/play/predictions/split.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { patientFan, userIdOf } from '../packs/packs-world.ts'
import { addCompetition, addMatch, addPredictor, HOUR, predict, settleAll, stateOf } from './match-world.ts'

test.each([
  [{ home: 3, draw: 1, away: 0 }, 'home', 10, 2],
  [{ home: 3, draw: 1, away: 0 }, 'draw', 10, 7],
  [{ home: 1, draw: 0, away: 0 }, 'home', 10, 0],
  [{ home: 1, draw: 1, away: 1 }, 'away', 10, 6],
  [{ home: 0, draw: 0, away: 0 }, 'home', 10, 0],
  [{ home: 50_000, draw: 49_999, away: 1 }, 'away', 1_000_000, 999_990],
] as const)('of %j the outcome %s, which gives %i points, gives %i more', (split, outcome, points, bonus) => {
  expect(crowdBonus(split, outcome, points)).toBe(bonus)
})

onEachEngine('A match with points by the crowd', world => {
  const cup = (deadline: 'match' | 'round' = 'match') =>
    addCompetition(world, {
      deadline,
      joker: 3,
      crowd: true,
      points: { exact: 40, difference: 20, outcome: 10 },
    })
  const rulesOf = async (matchId: string) =>
    (await world.anonymous.get(`/api/matches/${matchId}/predictions`)).body
  const close = async () => {
    world.clock.advance(HOUR)
    await freezeDueSplits(world.db)
  }
  const idOf = async (fan: Fan) => (await userIdOf(world, fan)) ?? ''

  async function findings(matchId: string) {
    const found: Finding[] = []
    await verifyLedger(world.db, { onFinding: finding => found.push(finding) })
    return found.filter(({ what }) => what.includes(matchId))
  }

  test('gives an outcome more, the fewer fans chose it; difference and exact stay; the joker doubles the sum', async () => {
    const match = await addMatch(world, { competition: await cup() })
    const { matchId } = match
    const scores = [
      [3, 0, false, 12],
      [3, 0, true, 24],
      [1, 0, false, 20],
      [2, 1, true, 80],
      [0, 0, false, 0],
    ] as const
    const fans: Fan[] = []
    for (const [home, away, joker] of scores) {
      const fan = await addPredictor(world, matchId, home, away)
      if (joker) await predict(fan, matchId, home, away, true)
      fans.push(fan)
    }
    expect(await rulesOf(matchId)).toMatchObject({ deadline: 'match', joker: 3, crowd: true, split: null })
    await close()
    expect((await rulesOf(matchId)).split).toEqual({
      predictions: 5,
      home: { predictions: 4, points: 12 },
      draw: { predictions: 1, points: 18 },
      away: { predictions: 0, points: 20 },
    })
    await match.finish(2, 1)
    await settleAll(world)
    for (const [n, fan] of fans.entries()) {
      const { sum, events } = await stateOf(world, fan, matchId)
      expect([n, sum]).toEqual([n, scores[n]?.[3] ?? 0])
      expect(events[0].bonus).toBe(n < 2 ? 2 : undefined)
    }
    await match.finish(1, 1)
    await settleAll(world)
    expect((await stateOf(world, fans[4] as Fan, matchId)).sum).toBe(20)
    await match.finish(4, 2)
    await settleAll(world)
    expect((await stateOf(world, fans[1] as Fan, matchId)).sum).toBe(24)
    expect(await findings(matchId)).toEqual([])
  })

  test('is settled with its split when the result comes before the split was written', async () => {
    const match = await addMatch(world, { competition: await cup() })
    const [fan] = [
      await addPredictor(world, match.matchId, 3, 0),
      await addPredictor(world, match.matchId, 0, 0),
    ]
    await match.finish(1, 0)
    await settleAll(world)
    expect((await stateOf(world, fan, match.matchId)).sum).toBe(15)
  })

  test('has its split of a round from the first kick-off of the round', async () => {
    const competition = await cup('round')
    const first = await addMatch(world, { competition, round: '1' })
    world.clock.advance(1)
    const later = await addMatch(world, { competition, round: '1' })
    await addPredictor(world, later.matchId, 1, 0)
    world.clock.advance(HOUR - 2)
    await freezeDueSplits(world.db)
    expect((await rulesOf(later.matchId)).split).toBeNull()
    world.clock.advance(1)
    await freezeDueSplits(world.db)
    const [rules, ofFirst] = [await rulesOf(later.matchId), await rulesOf(first.matchId)]
    expect([rules.split.predictions, ofFirst.split.predictions]).toEqual([1, 0])
    expect(rules.closesAt).toBe(ofFirst.closesAt)
  })

  test('stays closed when its kick-off moves after its split was told', async () => {
    const match = await addMatch(world, { competition: await cup() })
    const fan = await addPredictor(world, match.matchId, 1, 0)
    await close()
    await match.report({ kickoffAt: new Date(world.clock.ms + HOUR).toISOString() })
    const { status, body } = await fan.put(`/api/matches/${match.matchId}/prediction`, {
      homeScore: 0,
      awayScore: 0,
    })
    expect([status, body.code]).toEqual([409, 'prediction_closed'])
    expect((await rulesOf(match.matchId)).split.home.predictions).toBe(1)
  })

  test('is open again when a report that closed it too early is corrected before kick-off, with its round', async () => {
    const competition = await cup('round')
    const first = await addMatch(world, { competition, round: '1' })
    world.clock.advance(HOUR / 2)
    const later = await addMatch(world, { competition, round: '1' })
    const fan = await addPredictor(world, first.matchId, 1, 0)
    await predict(fan, later.matchId, 1, 0)
    const both = [first.matchId, later.matchId]
    const splits = async () =>
      Promise.all(both.map(async matchId => (await rulesOf(matchId)).split?.predictions ?? null))
    await first.report({ status: 'live' })
    await freezeDueSplits(world.db)
    expect(await splits()).toEqual([1, 1])
    await first.report({ status: 'scheduled' })
    await freezeDueSplits(world.db)
    expect(await splits()).toEqual([null, null])
    const late = await addPredictor(world, later.matchId, 0, 0)
    await predict(late, first.matchId, 0, 0, true)
    await predict(fan, first.matchId, 0, 1)
    world.clock.advance(HOUR / 2)
    await freezeDueSplits(world.db)
    expect(await splits()).toEqual([2, 2])
    expect((await rulesOf(first.matchId)).split).toMatchObject({ home: { predictions: 0 } })
    await first.finish(1, 1)
    await settleAll(world)
    expect((await stateOf(world, late, first.matchId)).sum).toBe(40)
    for (const matchId of both) expect(await findings(matchId)).toEqual([])
  })

  test.each([
    ['at the kick-off of its round', HOUR / 2],
    ['after it has begun', HOUR],
  ])('stays closed when a wrong report is corrected only %s', async (_, after) => {
    const competition = await cup('round')
    const first = await addMatch(world, { competition, round: '1' })
    world.clock.advance(HOUR / 2)
    const later = await addMatch(world, { competition, round: '1' })
    await later.report({ status: 'live' })
    await freezeDueSplits(world.db)
    world.clock.advance(after)
    await later.report({ status: 'scheduled', kickoffAt: new Date(world.clock.ms + HOUR).toISOString() })
    await freezeDueSplits(world.db)
    for (const { matchId } of [first, later]) expect((await rulesOf(matchId)).split).not.toBeNull()
  })

  test.each([
    ['competition', { competition: null }],
    ['competition', { competition: 'another-cup' }],
    ['joker_season', { jokerSeason: '1999/00' }],
    ['joker_round', { jokerRound: 'Another round' }],
    ['joker_round', { jokerRound: null }],
    ['joker_season', { jokerSeason: null }],
  ])('whose open prediction has another %s is found by verify-ledger (%j)', async (column, change) => {
    const competition = await cup()
    // Competitions that are added while a fan predicts do not count.
    world.clock.advance(HOUR)
    const { matchId } = await addMatch(world, { competition, round: 'Round 1', season: '2026/27' })
    const fan = await addPredictor(world, matchId, 1, 0)
    await predict(fan, matchId, 1, 0, true)
    expect(await findings(matchId)).toEqual([])
    const { predictions } = world.db.tables
    await world.db.write(tx => tx.update(predictions).set(change).where(eq(predictions.matchId, matchId)))
    expect((await findings(matchId)).map(({ what }) => what)).toContain(`predictions.${column} of ${matchId}`)
  })

  test('that was in another season, round and competition when fans predicted it is as it must be', async () => {
    const competition = await cup()
    world.clock.advance(HOUR)
    const { matchId } = await addMatch(world, { competition, round: 'Round 1', season: '2026/27' })
    const fan = await addPredictor(world, matchId, 1, 0)
    await predict(fan, matchId, 1, 0, true)
    const other = { competition: await cup(), round: 'Final', season: '2027/28' }
    await world.db.write(async tx => {
      const [entry] = await matchKind.read(tx, [matchId])
      if (entry) await matchKind.upsert(tx, { ...entry, ...other })
    })
    expect(await findings(matchId)).toEqual([])
  })

  test('whose split names a deadline that its competition never had is found by verify-ledger', async () => {
    const match = await addMatch(world, { competition: await cup() })
    await addPredictor(world, match.matchId, 1, 0)
    await close()
    const { predictionSplits: splits } = world.db.tables
    const move = (ms: number) =>
      world.db.write(tx =>
        tx
          .update(splits)
          .set({ kickoffAt: new Date(ms) })
          .where(eq(splits.matchId, match.matchId)),
      )
    await match.report({ kickoffAt: new Date(world.clock.ms + HOUR).toISOString() })
    expect(await findings(match.matchId)).toEqual([])
    await move(world.clock.ms + 1)
    expect((await findings(match.matchId)).map(({ what }) => what)).toEqual([
      `prediction_splits.kickoff_at of ${match.matchId}`,
    ])
  })

  test.each(['before', 'after'])(
    'keeps split and points in a merge and an erasure %s the split is written, both after the deadline',
    async when => {
      const match = await addMatch(world, { competition: await cup() })
      const { matchId } = match
      const [into, from, erased, judge] = [
        await addPredictor(world, matchId, 3, 0),
        await addPredictor(world, matchId, 0, 3),
        await addPredictor(world, matchId, 0, 3),
        await addPredictor(world, matchId, 4, 0),
      ]
      const mover = await patientFan(world)
      const heir = await patientFan(world)
      await predict(mover, matchId, 0, 0, true)
      await heir.post('/api/user/profile', {})
      world.clock.advance(HOUR)
      if (when === 'after') await freezeDueSplits(world.db)
      const merge = async (a: Fan, b: Fan) => {
        const ids = { from: await idOf(a), into: await idOf(b), mergedBy: 'Test', reason: 'Same fan' }
        await world.db.write(tx => mergeFans(tx, ids))
      }
      await merge(from, into)
      await merge(mover, heir)
      const erasedId = await idOf(erased)
      await world.db.write(tx => eraseUser(tx, { id: erasedId }))
      await freezeDueSplits(world.db)
      expect((await rulesOf(matchId)).split).toMatchObject({
        home: { predictions: 2 },
        draw: { predictions: 1 },
        away: { predictions: 2 },
      })
      await match.finish(1, 0)
      await settleAll(world)
      expect((await stateOf(world, judge, matchId)).sum).toBe(16)
      await match.finish(1, 1)
      await settleAll(world)
      expect((await heir.get('/api/user/points')).body.balance).toBe(40)
      await match.finish(0, 1)
      await settleAll(world)
      expect((await into.get('/api/user/points')).body.balance).toBe(16)
      expect(await findings(matchId)).toEqual([])
    },
  )

  test.each(['home', 'draw', 'away'] as const)(
    'is found by verify-ledger when its split names another number of %s',
    async outcome => {
      const match = await addMatch(world, { competition: await cup() })
      await addPredictor(world, match.matchId, 1, 0)
      await close()
      const { predictionSplits: splits } = world.db.tables
      const isMatch = and(eq(splits.matchId, match.matchId))
      await world.db.write(tx =>
        tx
          .update(splits)
          .set({ [outcome]: 7 })
          .where(isMatch),
      )
      expect((await findings(match.matchId)).map(({ what }) => what)).toEqual([
        `prediction_splits.${outcome} of ${match.matchId}`,
      ])
    },
  )
})
