/** Jokers: once a round, so many a season, until the deadline, and twice the points. */
import { expect, test } from 'bun:test'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { patientFan, userIdOf } from '../packs/packs-world.ts'
import { addCompetition, addMatch, HOUR, predict, settleAll, stateOf } from './match-world.ts'

const put = (fan: Fan, matchId: string, members: object = { joker: true }) =>
  fan.put(`/api/matches/${matchId}/prediction`, { homeScore: 1, awayScore: 0, ...members })
const codeOf = async (fan: Fan, matchId: string, members?: object) =>
  (await put(fan, matchId, members)).body.code ?? null

onEachEngine('A joker', world => {
  const matchIn = async (competition: string, round: string, season = '2026/27') =>
    (await addMatch(world, { competition, round, season })).matchId

  test('doubles the points of its prediction alone, in the fan’s predictions, ledger and event', async () => {
    const competition = await addCompetition(world, { joker: 2 })
    const match = await addMatch(world, { competition, round: '1' })
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    expect((await put(fan, match.matchId)).body).toMatchObject({ joker: true, settled: null })
    expect((await put(other, match.matchId, {})).body).toMatchObject({ joker: false })
    world.clock.advance(HOUR)
    await match.finish(1, 0)
    await settleAll(world)
    expect((await stateOf(world, fan, match.matchId)).events).toMatchObject([{ points: 80, joker: true }])
    expect((await stateOf(world, fan, match.matchId)).deltas).toEqual([80])
    const [event] = (await stateOf(world, other, match.matchId)).events
    expect([event.points, 'joker' in event]).toEqual([40, false])
    const { predictions } = (await fan.get('/api/user/predictions')).body
    expect(predictions).toMatchObject([{ joker: true, settled: { points: 80 } }])
    await match.finish(0, 1)
    await settleAll(world)
    expect((await stateOf(world, fan, match.matchId)).sum).toBe(0)
    await match.finish(3, 2)
    await settleAll(world)
    expect((await stateOf(world, fan, match.matchId)).sum).toBe(40)
  })

  test('is one a round, and as many a season as the competition says', async () => {
    const competition = await addCompetition(world, { joker: 2, deadline: 'match' })
    const fan = await patientFan(world)
    const [a, b] = [await matchIn(competition, '1'), await matchIn(competition, '1')]
    expect(await codeOf(fan, a)).toBeNull()
    expect(await codeOf(fan, a, { joker: true, homeScore: 2 })).toBeNull()
    expect(await codeOf(fan, b)).toBe('joker_used')
    expect((await fan.get(`/api/matches/${b}/prediction`)).status).toBe(404)
    expect(await codeOf(fan, await matchIn(competition, '2'))).toBeNull()
    expect(await codeOf(fan, await matchIn(competition, '3'))).toBe('joker_used')
    expect(await codeOf(fan, await matchIn(competition, '1', '2027/28'))).toBeNull()
    expect(await codeOf(await patientFan(world), b)).toBeNull()
  })

  test('is taken back when its prediction is written without it, and free again', async () => {
    const competition = await addCompetition(world, { joker: 1 })
    const fan = await patientFan(world)
    const [a, b] = [await matchIn(competition, '1'), await matchIn(competition, '1')]
    await put(fan, a)
    expect((await put(fan, a, {})).body.joker).toBe(false)
    expect((await put(fan, b)).body.joker).toBe(true)
    expect(await codeOf(fan, a)).toBe('joker_used')
    expect((await fan.get(`/api/matches/${a}/prediction`)).body.joker).toBe(false)
  })

  test('of a cancelled match is free again, and returns with the match unless it is used', async () => {
    const competition = await addCompetition(world, { joker: 1, deadline: 'match' })
    const match = await addMatch(world, { competition, round: '1' })
    const inRound = await matchIn(competition, '1')
    const later = await matchIn(competition, '2')
    const fans = [await patientFan(world), await patientFan(world), await patientFan(world)] as const
    const read = async (fan: Fan, id: string) => (await fan.get(`/api/matches/${id}/prediction`)).body
    for (const fan of fans) {
      expect((await put(fan, match.matchId)).body).toMatchObject({ state: 'open', joker: true })
      expect(await codeOf(fan, later)).toBe('joker_used')
    }
    await match.report({ status: 'cancelled' })
    await settleAll(world)
    const [waiting, moving, saving] = fans
    for (const fan of fans)
      expect(await read(fan, match.matchId)).toMatchObject({ state: 'void', joker: false })
    expect(await codeOf(moving, inRound)).toBeNull()
    expect(await codeOf(saving, later)).toBeNull()
    world.clock.advance(HOUR)
    await match.finish(1, 0)
    await settleAll(world)
    const states = await Promise.all(fans.map(fan => stateOf(world, fan, match.matchId)))
    expect(states.map(({ sum }) => sum)).toEqual([80, 40, 40])
    expect(states.map(({ events }) => 'joker' in events[0])).toEqual([true, false, false])
    expect((await read(waiting, match.matchId)).joker).toBe(true)
    expect([(await read(moving, inRound)).joker, (await read(saving, later)).joker]).toEqual([true, true])
    const { findings } = await verifyLedger(world.db)
    expect(findings).toBe(0)
  })

  test('is not given for a settled prediction of a match that takes place later, before its points are taken back', async () => {
    const competition = await addCompetition(world, { joker: 1, deadline: 'match' })
    const match = await addMatch(world, { competition, round: '1' })
    const fan = await patientFan(world)
    await put(fan, match.matchId, {})
    await match.finish(1, 0)
    await settleAll(world)
    await match.report({ kickoffAt: new Date(world.clock.ms + HOUR).toISOString() })
    expect(await codeOf(fan, match.matchId)).toBe('prediction_closed')
    await settleAll(world)
    expect(await codeOf(fan, match.matchId)).toBeNull()
  })

  test('is refused after the deadline, and cannot be taken back then', async () => {
    const competition = await addCompetition(world, { joker: 9 })
    const fan = await patientFan(world)
    const [a, b] = [await matchIn(competition, '1'), await matchIn(competition, '2')]
    await put(fan, a)
    world.clock.advance(HOUR)
    expect(await codeOf(fan, b)).toBe('prediction_closed')
    expect(await codeOf(fan, a, {})).toBe('prediction_closed')
    expect((await fan.get(`/api/matches/${a}/prediction`)).body.joker).toBe(true)
  })

  test('is not offered in the default competition, whose predictions do not name it', async () => {
    const fan = await patientFan(world)
    const { matchId } = await addMatch(world)
    const without = await addMatch(world, { competition: await addCompetition(world) })
    expect(await codeOf(fan, matchId)).toBe('joker_not_offered')
    expect(await codeOf(fan, without.matchId)).toBe('joker_not_offered')
    const { body } = await put(fan, matchId, { joker: false })
    expect(Object.keys(body)).toEqual([
      'matchId',
      'homeScore',
      'awayScore',
      'predictedAt',
      'state',
      'settled',
    ])
  })

  test('of ten concurrent requests for matches of a round is on one prediction', async () => {
    const competition = await addCompetition(world, { joker: 5 })
    const fan = await patientFan(world)
    const matches = await Promise.all(Array.from({ length: 10 }, () => matchIn(competition, '1')))
    const codes = await Promise.all(matches.map(matchId => codeOf(fan, matchId)))
    expect(codes.filter(code => code === null)).toHaveLength(1)
    expect(codes.filter(code => code === 'joker_used')).toHaveLength(9)
    const { predictions } = (await fan.get('/api/user/predictions')).body
    expect(predictions).toMatchObject([{ joker: true }])
  })

  test('of a merged fan is dropped where the other one has used those of the season', async () => {
    const competition = await addCompetition(world, { joker: 2 })
    const [from, into] = [await patientFan(world), await patientFan(world)]
    const [a, b, c] = [
      await matchIn(competition, '1'),
      await matchIn(competition, '2'),
      await matchIn(competition, '3'),
    ]
    await put(into, a)
    await put(from, b)
    world.clock.advance(1)
    await put(from, c)
    const ids = { from: (await userIdOf(world, from)) ?? '', into: (await userIdOf(world, into)) ?? '' }
    await world.db.write(tx => mergeFans(tx, { ...ids, mergedBy: 'Test', reason: 'Same fan' }))
    const jokers = [a, b, c].map(async id => (await into.get(`/api/matches/${id}/prediction`)).body.joker)
    expect(await Promise.all(jokers)).toEqual([true, true, false])
    expect(await codeOf(into, c)).toBe('joker_used')
  })

  test('moves with its prediction in a merge, and is dropped where the other fan has one in the round', async () => {
    const competition = await addCompetition(world, { joker: 5 })
    const [from, into] = [await patientFan(world), await patientFan(world)]
    const [a, b, c] = [
      await matchIn(competition, '1'),
      await matchIn(competition, '1'),
      await matchIn(competition, '2'),
    ]
    await put(from, a)
    await put(from, c)
    await put(into, b)
    const ids = {
      from: (await userIdOf(world, from)) ?? '',
      into: (await userIdOf(world, into)) ?? '',
      mergedBy: 'Test',
      reason: 'Same fan',
    }
    await world.db.write(tx => mergeFans(tx, ids))
    const { predictions } = (await into.get('/api/user/predictions')).body
    const jokers = new Map(
      predictions.map((one: { matchId: string; joker: boolean }) => [one.matchId, one.joker]),
    )
    expect([a, b, c].map(id => jokers.get(id))).toEqual([false, true, true])
    await predict(into, a, 2, 0)
  })
})
