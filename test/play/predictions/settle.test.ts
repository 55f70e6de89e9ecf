import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { resetRevision } from '../../../src/club/matches/update-match.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import { settlePredictions } from '../../../src/play/predictions/settle.ts'
import { overrideSettings } from '../../support/settings.ts'
import { onEachEngine } from '../../support/world.ts'
import { userIdOf } from '../packs/packs-world.ts'
import { addMatch, addPredictor, HOUR, predict, settleAll, stateOf } from './match-world.ts'

onEachEngine('The settlement of a match', world => {
  const balanceOf = async (fan: { get: (path: string) => Promise<{ body: { balance: number } }> }) =>
    (await fan.get('/api/user/points')).body.balance

  async function findings() {
    const found: Finding[] = []
    await verifyLedger(world.db, { onFinding: finding => found.push(finding) })
    return found
  }

  test('books the points of the best hit, records an event and shows it to the fan', async () => {
    const match = await addMatch(world)
    const { matchId } = match
    const exact = await addPredictor(world, matchId, 2, 1)
    const difference = await addPredictor(world, matchId, 1, 0)
    const outcome = await addPredictor(world, matchId, 3, 0)
    const wrong = await addPredictor(world, matchId, 0, 0)
    await match.finish(2, 1)
    await settleAll(world)
    const points = [25, 15, 10, 0]
    for (const [n, fan] of [exact, difference, outcome, wrong].entries()) {
      const { deltas, events } = await stateOf(world, fan, matchId)
      const hits = { outcome: n < 3, difference: n < 2, exact: n < 1, points: points[n] }
      expect(deltas).toEqual(n < 3 ? [Number(points[n])] : [])
      expect(events).toMatchObject([
        { matchId, revision: 2, result: { homeScore: 2, awayScore: 1 }, ...hits, voided: false },
      ])
      expect((await fan.get('/api/user/predictions')).body.predictions).toMatchObject([
        { matchId, state: 'settled', settled: hits },
      ])
      expect(await balanceOf(fan)).toBe(Number(points[n]))
      const { me } = (await fan.get('/api/leaderboard?limit=1')).body
      expect(me.points).toBe(points[n])
    }
  })

  test('happens once, however often it runs and in however many processes at once', async () => {
    const match = await addMatch(world)
    const fans = []
    for (let n = 0; n < 6; n++) fans.push(await addPredictor(world, match.matchId, 1, 0))
    await match.finish(1, 0)
    await Promise.all(Array.from({ length: 5 }, () => settlePredictions(world.deps)))
    await settleAll(world)
    await settleAll(world)
    for (const fan of fans) {
      const { deltas, events } = await stateOf(world, fan, match.matchId)
      expect([deltas, events.length]).toEqual([[25], 1])
    }
  })

  test('ends a minute after the result, so that no prediction is missed that was accepted before it', async () => {
    const match = await addMatch(world)
    const fan = await addPredictor(world, match.matchId, 1, 0)
    await match.finish(1, 0)
    await settlePredictions(world.deps)
    const { matchSettlements, predictions } = world.db.tables
    const read = async () => {
      const isMatch = eq(matchSettlements.matchId, match.matchId)
      const [row] = await world.db.read.select().from(matchSettlements).where(isMatch)
      return row?.dueAt
    }
    expect(await read()).toEqual(new Date(world.clock.ms + 60_000))
    // As a unit of work leaves it that began before the result and commits after the first pass.
    const late = { matchId: match.matchId, homeScore: 1, awayScore: 0, state: 'open', points: 0, booked: 0 }
    const userId =
      (await userIdOf(
        world,
        await world.fan().then(async other => {
          await other.post('/api/user/profile', {})
          return other
        }),
      )) ?? ''
    const at = world.clock.now()
    await world.db.write(tx =>
      tx.insert(predictions).values({ ...late, userId, createdAt: at, changedAt: at }),
    )
    world.clock.advance(60_000)
    await settlePredictions(world.deps)
    expect(await read()).toBeNull()
    const rows = await world.db.read.select().from(predictions).where(eq(predictions.matchId, match.matchId))
    expect(rows.map(({ state, booked }) => [state, booked])).toEqual([
      ['settled', 25],
      ['settled', 25],
    ])
    expect((await stateOf(world, fan, match.matchId)).deltas).toEqual([25])
  })

  test('settles a result again whose revision settled another one before a reset', async () => {
    const match = await addMatch(world)
    const { matchId } = match
    const fan = await addPredictor(world, matchId, 2, 1)
    await match.finish(2, 1)
    await settleAll(world)
    await match.report({ status: 'finished', homeScore: 0, awayScore: 0 })
    await settleAll(world)
    expect((await stateOf(world, fan, matchId)).sum).toBe(0)
    await world.db.write(tx => resetRevision(tx, matchId, 1))
    for (const [revision, homeScore, sum] of [
      [2, 1, 0],
      [3, 2, 25],
    ]) {
      await match.report({ revision, status: 'finished', homeScore, awayScore: 1 })
      await settleAll(world)
      expect((await stateOf(world, fan, matchId)).sum).toBe(Number(sum))
    }
    const { prediction, events } = await stateOf(world, fan, matchId)
    expect(prediction).toMatchObject({ state: 'settled', exact: true, booked: 25 })
    expect(events.map(({ voided }) => voided)).toEqual([true, true, false])
    expect(await findings()).toEqual([])
  })

  test('of a corrected result leaves the sum of the last one, and voids the events that it changes', async () => {
    const match = await addMatch(world)
    const { matchId } = match
    const winner = await addPredictor(world, matchId, 2, 1)
    const loser = await addPredictor(world, matchId, 1, 1)
    const same = await addPredictor(world, matchId, 0, 3)
    await match.finish(2, 1)
    await settleAll(world)
    await match.finish(2, 2)
    await settleAll(world)
    expect(await stateOf(world, winner, matchId)).toMatchObject({
      deltas: [25, -25],
      sum: 0,
      events: [
        { revision: 2, points: 25, voided: true },
        { revision: 3, points: 0, voided: false },
      ],
    })
    expect(await stateOf(world, loser, matchId)).toMatchObject({
      deltas: [15],
      events: [
        { revision: 2, points: 0, voided: true },
        { revision: 3, points: 15, voided: false },
      ],
    })
    // Nothing changed for this fan.
    expect((await stateOf(world, same, matchId)).events).toMatchObject([{ revision: 2, voided: false }])
    const { me } = (await winner.get('/api/leaderboard?limit=1')).body
    expect(me.points).toBe(0)
  })

  test('takes back at most the balance, and counts the rest towards the next result', async () => {
    const match = await addMatch(world)
    const fan = await addPredictor(world, match.matchId, 2, 1)
    await match.finish(2, 1)
    await settleAll(world)
    await world.grant(fan, -20)
    await match.finish(0, 0)
    await settleAll(world)
    expect(await stateOf(world, fan, match.matchId)).toMatchObject({
      deltas: [25, -5],
      prediction: { points: 0, booked: 20 },
    })
    await match.finish(2, 1)
    await settleAll(world)
    expect(await stateOf(world, fan, match.matchId)).toMatchObject({
      sum: 25,
      prediction: { points: 25, booked: 25 },
    })
    expect(await balanceOf(fan)).toBe(5)
  })

  test('of a cancelled match voids predictions, and one of a match that takes place opens them', async () => {
    const match = await addMatch(world)
    const fan = await addPredictor(world, match.matchId, 2, 1)
    const read = async () => (await fan.get('/api/user/predictions')).body.predictions[0]
    await match.finish(2, 1)
    await settleAll(world)
    await match.report({ status: 'cancelled' })
    await settleAll(world)
    expect(await read()).toMatchObject({ state: 'void', settled: null })
    expect((await stateOf(world, fan, match.matchId)).sum).toBe(0)
    await match.report({ status: 'scheduled' })
    await settleAll(world)
    expect(await read()).toMatchObject({ state: 'open', settled: null })
    await predict(fan, match.matchId, 3, 0)
    await match.finish(3, 0)
    await settleAll(world)
    expect(await stateOf(world, fan, match.matchId)).toMatchObject({ sum: 25 })
  })

  test('leaves a postponed match open, with its predictions', async () => {
    const match = await addMatch(world)
    const fan = await addPredictor(world, match.matchId, 2, 1)
    await match.report({ status: 'postponed' })
    await settleAll(world)
    const kickoffAt = new Date(world.clock.ms + 48 * HOUR).toISOString()
    await match.report({ kickoffAt })
    await predict(fan, match.matchId, 0, 0)
    await match.report({ status: 'finished', kickoffAt, homeScore: 0, awayScore: 0 })
    await settleAll(world)
    expect((await stateOf(world, fan, match.matchId)).sum).toBe(25)
  })

  test('does not count a prediction that was written after the kick-off that is reported later', async () => {
    const match = await addMatch(world)
    const early = await addPredictor(world, match.matchId, 1, 0)
    world.clock.advance(HOUR / 2)
    const late = await addPredictor(world, match.matchId, 1, 0)
    const kickoffAt = world.clock.now().toISOString()
    await match.report({ status: 'finished', kickoffAt, homeScore: 1, awayScore: 0 })
    await settleAll(world)
    expect((await stateOf(world, early, match.matchId)).sum).toBe(25)
    expect(await stateOf(world, late, match.matchId)).toMatchObject({ sum: 0, prediction: { state: 'void' } })
  })

  test('keeps the points with which it began, also under other settings', async () => {
    const match = await addMatch(world)
    const fan = await addPredictor(world, match.matchId, 1, 0)
    await match.finish(1, 0)
    await settleAll(world)
    await match.finish(2, 1)
    const end = overrideSettings(world.db, { predictionPointsOutcome: 1, predictionPointsDifference: 2 })
    await settlePredictions(world.deps)
    end()
    expect((await stateOf(world, fan, match.matchId)).sum).toBe(15)
  })

  test('lets rules grant points for it, and takes them back after a correction', async () => {
    const rule = {
      id: `exact-${crypto.randomUUID()}`,
      name: 'Oracle',
      eventType: 'prediction.settled',
      when: [{ path: '/exact', op: 'eq' as const, value: true }],
      points: { fixed: 100 },
    }
    await world.db.write(tx => upsertRule(tx, { ...rule, timeZone: 'Europe/London' }))
    const match = await addMatch(world)
    const [fan, other] = [
      await addPredictor(world, match.matchId, 1, 0),
      await addPredictor(world, match.matchId, 2, 0),
    ]
    await match.finish(1, 0)
    await settleAll(world)
    expect([await balanceOf(fan), await balanceOf(other)]).toEqual([125, 10])
    await match.finish(2, 0)
    await settleAll(world)
    expect([await balanceOf(fan), await balanceOf(other)]).toEqual([10, 125])
    await world.db.write(tx => upsertRule(tx, { ...rule, timeZone: 'Europe/London', active: false }))
  })

  test('leaves out a fan whose ledger is damaged, reports them, and settles them once it is repaired', async () => {
    const match = await addMatch(world)
    const [damaged, sound] = [
      await addPredictor(world, match.matchId, 1, 0),
      await addPredictor(world, match.matchId, 1, 0),
    ]
    const userId = (await userIdOf(world, damaged)) ?? ''
    const { pointsAccounts } = world.db.tables
    const setBalance = (balance: number) =>
      world.db.write(tx =>
        tx.update(pointsAccounts).set({ balance }).where(eq(pointsAccounts.userId, userId)),
      )
    await setBalance(7)
    await match.finish(1, 0)
    world.logged.length = 0
    await settleAll(world)
    expect((await stateOf(world, sound, match.matchId)).sum).toBe(25)
    expect(await stateOf(world, damaged, match.matchId)).toMatchObject({
      sum: 0,
      prediction: { state: 'open' },
    })
    expect(world.logged.filter(line => line.includes(userId)).length).toBeGreaterThan(0)
    await setBalance(0)
    world.clock.advance(10 * 60_000)
    await settleAll(world)
    expect((await stateOf(world, damaged, match.matchId)).sum).toBe(25)
  })

  test('leaves out a fan whose ledger is damaged where only a rule grants points', async () => {
    const isActive = (active: boolean) =>
      world.db.write(tx =>
        upsertRule(tx, {
          id: 'points-for-a-prediction',
          name: 'Points for a prediction',
          eventType: 'prediction.settled',
          when: [],
          points: { fixed: 1 },
          timeZone: 'Europe/London',
          active,
        }),
      )
    await isActive(true)
    const match = await addMatch(world)
    const [damaged, sound] = [
      await addPredictor(world, match.matchId, 0, 1),
      await addPredictor(world, match.matchId, 1, 0),
    ]
    const userId = (await userIdOf(world, damaged)) ?? ''
    const { pointsAccounts } = world.db.tables
    const setBalance = (balance: number) =>
      world.db.write(tx =>
        tx.update(pointsAccounts).set({ balance }).where(eq(pointsAccounts.userId, userId)),
      )
    await setBalance(7)
    await match.finish(1, 0)
    await settleAll(world)
    expect(await balanceOf(sound)).toBe(26)
    expect(await stateOf(world, damaged, match.matchId)).toMatchObject({ prediction: { state: 'open' } })
    await setBalance(0)
    world.clock.advance(10 * 60_000)
    await settleAll(world)
    expect(await balanceOf(damaged)).toBe(1)
    await isActive(false)
  })

  test('of one match that fails does not hold up another match', async () => {
    const [failing, sound] = [await addMatch(world), await addMatch(world)]
    await addPredictor(world, failing.matchId, 1, 0)
    const fan = await addPredictor(world, sound.matchId, 1, 0)
    await failing.finish(1, 0)
    world.clock.advance(1)
    await sound.finish(1, 0)
    const { matchSettlements } = world.db.tables
    const setPoints = (pointsExact: number) =>
      world.db.write(tx =>
        tx
          .update(matchSettlements)
          .set({ pointsOutcome: 10, pointsDifference: 15, pointsExact })
          .where(eq(matchSettlements.matchId, failing.matchId)),
      )
    // A constraint refuses it.
    await setPoints(-1)
    await expect(settlePredictions(world.deps)).rejects.toThrow()
    expect(await stateOf(world, fan, sound.matchId)).toMatchObject({ deltas: [25] })
    await setPoints(25)
    await settleAll(world)
  })

  test('of many fans whose weeks and months differ leaves sound ledgers and ranks after corrections', async () => {
    const [first, second] = [await addMatch(world), await addMatch(world)]
    const fans = []
    for (let n = 0; n < 12; n++) {
      const fan = await addPredictor(world, first.matchId, n % 3, n % 2)
      // Some earn elsewhere, before and between, and some spend what they win.
      if (n % 4 === 0) await world.grant(fan, 40)
      await predict(fan, second.matchId, 1, n % 3)
      fans.push(fan)
    }
    await first.finish(1, 1)
    await settleAll(world)
    await second.finish(1, 0)
    await settleAll(world)
    for (const [n, fan] of fans.entries()) {
      const balance = await balanceOf(fan)
      if (n % 3 === 0 && balance > 5) await world.grant(fan, 5 - balance)
    }
    for (const [days, home, away] of [
      [0, 2, 0],
      [8, 1, 1],
      [40, 2, 1],
      [1, 0, 0],
    ] as const) {
      world.clock.advance(days * 24 * HOUR)
      await first.finish(home, away)
      await settleAll(world)
      await second.finish(away, home)
      await settleAll(world)
      expect(await findings()).toEqual([])
    }
    for (const fan of fans) {
      const { sum, prediction } = await stateOf(world, fan, first.matchId)
      expect(sum).toBe(prediction?.booked ?? -1)
    }
  })

  test('is checked by verify-ledger: a prediction with other points and one without a row are reported', async () => {
    const match = await addMatch(world)
    const { matchId } = match
    const [fan, other] = [await addPredictor(world, matchId, 1, 0), await addPredictor(world, matchId, 1, 0)]
    await match.finish(1, 0)
    await settleAll(world)
    const { predictions } = world.db.tables
    const [userId = '', otherId = ''] = await Promise.all([userIdOf(world, fan), userIdOf(world, other)])
    const row = (await stateOf(world, other, matchId)).prediction
    const setBooked = (booked: number) =>
      world.db.write(tx => tx.update(predictions).set({ booked }).where(eq(predictions.userId, userId)))
    await setBooked(26)
    await world.db.write(tx => tx.delete(predictions).where(eq(predictions.userId, otherId)))
    expect((await findings()).toSorted((a, b) => (a.what < b.what ? -1 : 1))).toEqual([
      { userId, what: `predictions.booked of ${matchId}`, expected: 25, actual: 26 },
      { userId: otherId, what: 'predictions.row', seq: 1, expected: matchId, actual: null },
    ])
    await setBooked(25)
    await world.db.write(tx => tx.insert(predictions).values(row ? [row] : []))
    expect(await findings()).toEqual([])
  })

  test('of more fans than a batch leaves a sound ledger and sound ranks', async () => {
    const match = await addMatch(world)
    const { predictions, users } = world.db.tables
    const at = world.clock.now()
    await world.db.write(async tx => {
      for (let n = 0; n < 450; n++) {
        const id = `many-${match.matchId}-${n}`
        const user = { provider: 'mock-idp', subject: id, createdAt: at, updatedAt: at }
        await tx.insert(users).values({ ...user, id })
        const scores = { homeScore: n % 3, awayScore: n % 2, state: 'open', points: 0, booked: 0 }
        const prediction = { ...scores, createdAt: at, changedAt: at }
        await tx.insert(predictions).values({ ...prediction, matchId: match.matchId, userId: id })
      }
    })
    const enrolled = []
    for (let n = 0; n < 12; n++) enrolled.push(await addPredictor(world, match.matchId, n % 3, n % 2))
    await match.finish(1, 1)
    await settleAll(world)
    await match.finish(2, 0)
    await settleAll(world)
    const rows = await world.db.read.select().from(predictions).where(eq(predictions.matchId, match.matchId))
    expect(rows.map(({ state, points, booked }) => [state, booked - points])).toEqual(
      rows.map(() => ['settled', 0]),
    )
    for (const fan of enrolled) {
      const { sum, prediction } = await stateOf(world, fan, match.matchId)
      expect(sum).toBe(prediction?.points ?? -1)
    }
    expect(await findings()).toEqual([])
  })
})
