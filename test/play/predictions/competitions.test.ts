/** Predictions of matches that name a competition of the catalogue: deadline and points. */
import { expect, test } from 'bun:test'
import { competitionKind } from '../../../src/club/competitions/competition-kind.ts'
import type { Client } from '../../support/client.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { patientFan } from '../packs/packs-world.ts'
import { addCompetition, addPredictor, HOUR, settleAll, stateOf } from './match-world.ts'

let count = 0

const predict = async (fan: Client, matchId: string) =>
  (await fan.put(`/api/matches/${matchId}/prediction`, { homeScore: 1, awayScore: 0 })).body.code ?? null

onEachEngine('The competition of a match', world => {
  async function report(matchId: string, revision: number, state: object) {
    const club = world.withToken(await world.serverKey(['matches:write']))
    const scores = { homeScore: null, awayScore: null, ...state }
    const body = { revision, status: 'scheduled', kickoffAt: world.clock.now().toISOString(), ...scores }
    expect((await club.put(`/api/matches/${matchId}`, body)).status).toBe(200)
  }

  const inHours = (hours: number) => new Date(world.clock.ms + hours * HOUR)
  const addMatch = (hours: number, fields: object = {}) =>
    world.match({ id: `match-${++count}`, round: 'Round 1', kickoffAt: inHours(hours), ...fields })

  test('closes a round with its first kick-off, to the millisecond, and no other round, season or competition', async () => {
    const fan = await patientFan(world)
    const [competition, other] = [await addCompetition(world), await addCompetition(world)]
    await addMatch(1, { competition })
    const later = await addMatch(3, { competition })
    const elsewhere = [
      await addMatch(3, { competition, round: 'Round 2' }),
      await addMatch(3, { competition, round: null }),
      await addMatch(3, { competition, season: '1999/00' }),
      await addMatch(3, { competition: other }),
      await addMatch(3),
    ]
    world.clock.advance(HOUR - 1)
    expect(await predict(fan, later)).toBeNull()
    world.clock.advance(1)
    expect(await predict(fan, later)).toBe('prediction_closed')
    for (const matchId of elsewhere) expect(await predict(fan, matchId)).toBeNull()
  })

  test('closes a round when its first match is reported as begun early', async () => {
    const fan = await patientFan(world)
    const competition = await addCompetition(world)
    const [first, later] = [await addMatch(1, { competition }), await addMatch(3, { competition })]
    expect(await predict(fan, later)).toBeNull()
    await report(first, 2, { status: 'live', kickoffAt: inHours(1).toISOString() })
    expect(await predict(fan, later)).toBe('prediction_closed')
  })

  test.each(['postponed', 'cancelled'])('does not close a round with a %s match', async status => {
    const fan = await patientFan(world)
    const competition = await addCompetition(world)
    await addMatch(1, { competition, status })
    await addMatch(1, { competition, active: false })
    const later = await addMatch(3, { competition })
    world.clock.advance(2 * HOUR)
    expect(await predict(fan, later)).toBeNull()
  })

  test('with the deadline of a match closes each match alone', async () => {
    const fan = await patientFan(world)
    const competition = await addCompetition(world, { deadline: 'match' })
    const [first, later] = [await addMatch(1, { competition }), await addMatch(3, { competition })]
    world.clock.advance(2 * HOUR)
    expect([await predict(fan, first), await predict(fan, later)]).toEqual(['prediction_closed', null])
  })

  test.each([
    ['an active competition', {}, [40, 20, 7, 0]],
    ['one that is switched off', { active: false }, [25, 15, 10, 0]],
  ])('gives the points of %s, which corrections keep', async (_, members, points) => {
    const id = await addCompetition(world, { deadline: 'match', ...members })
    const matchId = await addMatch(1, { competition: id })
    const scores = [
      [2, 1],
      [1, 0],
      [3, 0],
      [0, 0],
    ] as const
    const fans: Fan[] = []
    for (const [home, away] of scores) fans.push(await addPredictor(world, matchId, home, away))
    const sums = () => Promise.all(fans.map(async fan => (await stateOf(world, fan, matchId)).sum))
    const kickoffAt = inHours(1).toISOString()
    world.clock.advance(2 * HOUR)
    await report(matchId, 2, { status: 'finished', homeScore: 2, awayScore: 1, kickoffAt })
    await settleAll(world)
    expect(await sums()).toEqual(points)
    await world.db.write(tx => competitionKind.deactivate(tx, id))
    await report(matchId, 3, { status: 'finished', homeScore: 0, awayScore: 0, kickoffAt })
    await settleAll(world)
    await report(matchId, 4, { status: 'finished', homeScore: 2, awayScore: 1, kickoffAt })
    await settleAll(world)
    expect(await sums()).toEqual(points)
  })
})
