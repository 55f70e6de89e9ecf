import { expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { writePrediction } from '../../../src/play/predictions/predict.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'
import { writerOf } from '../../support/writer.ts'
import { patientFan, userIdOf } from '../packs/packs-world.ts'
import { addMatch, settleAll } from './match-world.ts'

const MINUTE = 60_000

onEachEngine('PUT /api/matches/{id}/prediction', world => {
  const at = (ms: number) => new Date(world.clock.ms + ms)
  const ahead = () => world.match({ kickoffAt: at(MINUTE) })
  const predict = (fan: Client, matchId: string, homeScore = 2, awayScore = 1) =>
    fan.put(`/api/matches/${matchId}/prediction`, { homeScore, awayScore })

  test('writes the prediction of a new fan', async () => {
    const fan = await world.fan()
    const matchId = await ahead()
    const { status, body } = await predict(fan, matchId)
    expect([status, body]).toEqual([
      200,
      {
        matchId,
        homeScore: 2,
        awayScore: 1,
        predictedAt: world.clock.now().toISOString(),
        state: 'open',
        settled: null,
      },
    ])
    expect((await fan.get('/api/user/predictions')).body).toEqual({ predictions: [body], nextCursor: null })
  })

  test('replaces the earlier prediction', async () => {
    const fan = await world.fan()
    const matchId = await ahead()
    await predict(fan, matchId, 2, 1)
    world.clock.advance(1_000)
    const { body } = await predict(fan, matchId, 0, 0)
    expect(body).toMatchObject({ homeScore: 0, awayScore: 0, predictedAt: world.clock.now().toISOString() })
    expect((await fan.get('/api/user/predictions')).body.predictions).toEqual([body])
  })

  test('is open until the last millisecond before kick-off', async () => {
    const fan = await world.fan()
    const matchId = await ahead()
    world.clock.advance(MINUTE - 1)
    expect((await predict(fan, matchId, 3, 0)).status).toBe(200)
    world.clock.advance(1)
    const { status, body } = await predict(fan, matchId, 0, 3)
    expect([status, body.code]).toEqual([409, 'prediction_closed'])
    expect((await fan.get('/api/user/predictions')).body.predictions).toMatchObject([{ homeScore: 3 }])
  })

  test('is closed for a request that waited for the database until kick-off', async () => {
    const matchId = await ahead()
    const caller = { provider: world.config.identity.name, subject: (await world.fan()).subject }
    const writing = world.db.write(async tx => {
      expect(tx.now().getTime()).toBe(world.clock.ms)
      world.clock.advance(MINUTE)
      return writePrediction(tx, await writerOf(tx, caller), matchId, { homeScore: 2, awayScore: 1 })
    })
    expect(await writing.catch(error => error.code)).toBe('prediction_closed')
  })

  test.each(['live', 'postponed', 'cancelled'])('is closed for a %s match', async status => {
    const fan = await world.fan()
    const { status: answered, body } = await predict(
      fan,
      await world.match({ status, kickoffAt: at(MINUTE) }),
    )
    expect([answered, body.code]).toEqual([409, 'prediction_closed'])
    expect(await userIdOf(world, fan)).toBeUndefined()
  })

  test.each([
    ['no match', async () => 'no-such-match'],
    ['a match that is switched off', () => world.match({ active: false, kickoffAt: at(MINUTE) })],
  ])('of %s is 404 match_not_found', async (_, make) => {
    const { status, body } = await predict(await world.fan(), await make())
    expect([status, body.code]).toEqual([404, 'match_not_found'])
  })

  test.each([
    ['a negative score', { homeScore: -1, awayScore: 0 }, '/homeScore'],
    ['a score of three digits', { homeScore: 0, awayScore: 100 }, '/awayScore'],
    ['a text', { homeScore: '1', awayScore: 0 }, '/homeScore'],
    ['one score', { homeScore: 1 }, '/awayScore'],
    ['an unknown member', { homeScore: 1, awayScore: 0, points: 9 }, '/points'],
  ])('of %s is 422 with the place', async (_, body, pointer) => {
    const answer = await (await world.fan()).put(`/api/matches/${await ahead()}/prediction`, body)
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, pointer])
  })

  test('without a token is 401 unauthenticated', async () => {
    const { status, body } = await predict(world.anonymous, await ahead())
    expect([status, body.code]).toEqual([401, 'unauthenticated'])
    expect((await world.anonymous.get('/api/user/predictions')).status).toBe(401)
  })

  test('sent twenty times at once by one fan leaves one row, with the scores of one request', async () => {
    const fan = await world.fan()
    const matchId = await ahead()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => predict(fan, matchId, n, n)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const { predictions } = world.db.tables
    const rows = await world.db.read.select().from(predictions).where(eq(predictions.matchId, matchId))
    expect(rows).toHaveLength(1)
    expect(rows[0]?.homeScore).toBe(rows[0]?.awayScore)
  })

  test('at the same time as the start of the match is accepted before it or refused, never late', async () => {
    const club = world.withToken(await world.serverKey(['matches:write']))
    const fans = await Promise.all(Array.from({ length: 10 }, () => world.fan()))
    const matchId = await ahead()
    const start = { revision: 2, status: 'live', kickoffAt: at(MINUTE).toISOString() }
    const [answers] = await Promise.all([
      Promise.all(fans.map(fan => predict(fan, matchId))),
      club.put(`/api/matches/${matchId}`, { ...start, homeScore: null, awayScore: null }),
    ])
    for (const [n, fan] of fans.entries()) {
      const { predictions } = (await fan.get('/api/user/predictions')).body
      expect(predictions).toHaveLength(answers[n]?.status === 200 ? 1 : 0)
      expect((await predict(fan, matchId, 9, 9)).body.code).toBe('prediction_closed')
    }
  })

  test('does not change a settled prediction, whatever the match says', async () => {
    const fan = await world.fan()
    const matchId = await ahead()
    await predict(fan, matchId)
    const userId = (await userIdOf(world, fan)) ?? ''
    const { predictions } = world.db.tables
    const isTheirs = and(eq(predictions.matchId, matchId), eq(predictions.userId, userId))
    const settled = { state: 'settled', outcome: true, difference: true, exact: true, settledAt: at(0) }
    await world.db.write(tx => tx.update(predictions).set(settled).where(isTheirs))
    expect((await predict(fan, matchId, 0, 0)).body.code).toBe('prediction_closed')
  })
})

onEachEngine('GET /api/matches/{id}/prediction', world => {
  const scores = { homeScore: 2, awayScore: 1 }
  const kickoffAt = () => new Date(world.clock.ms + MINUTE)

  test('reads the prediction of the caller alone, and its result once it is settled', async () => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    const { matchId, finish } = await addMatch(world)
    const path = `/api/matches/${matchId}/prediction`
    const written = (await fan.put(path, scores)).body
    await other.put(path, { homeScore: 0, awayScore: 0 })
    expect(await fan.get(path)).toMatchObject({ status: 200, body: written })
    await finish(2, 1)
    await settleAll(world)
    expect((await fan.get(path)).body).toMatchObject({
      ...scores,
      state: 'settled',
      settled: { exact: true, points: 25 },
    })
  })

  test('is 404 prediction_not_found without one, and match_not_found without a match', async () => {
    const [fan, stranger] = [await world.fan(), await world.fan()]
    const [ahead, hidden] = [
      await world.match({ kickoffAt: kickoffAt() }),
      await world.match({ active: false, kickoffAt: kickoffAt() }),
    ]
    await fan.post('/api/user/profile', {})
    const codeOf = async (client: Client, id: string) => {
      const { status, body } = await client.get(`/api/matches/${id}/prediction`)
      return [status, body.code]
    }
    for (const client of [fan, stranger])
      expect(await codeOf(client, ahead)).toEqual([404, 'prediction_not_found'])
    for (const id of [hidden, 'no-such-match'])
      expect(await codeOf(fan, id)).toEqual([404, 'match_not_found'])
    expect(await codeOf(world.anonymous, ahead)).toEqual([401, 'unauthenticated'])
  })
})

onEachEngine('GET /api/user/predictions', world => {
  test('pages through the predictions of one fan, newest first', async () => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    const kickoffAt = new Date(world.clock.ms + 10 * MINUTE)
    const made: string[] = []
    for (let n = 0; n < 5; n++) {
      const matchId = await world.match({ id: `paged-${n}`, kickoffAt })
      made.unshift(matchId)
      if (n % 2) world.clock.advance(1_000)
      for (const client of [fan, other])
        await client.put(`/api/matches/${matchId}/prediction`, { homeScore: n, awayScore: 0 })
    }
    const found: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const path: string = `/api/user/predictions?limit=2${cursor && `&cursor=${cursor}`}`
      const { body } = await fan.get(path)
      found.push(...body.predictions.map(({ matchId }: { matchId: string }) => matchId))
      cursor = body.nextCursor
    }
    expect(found).toEqual(made)
  })

  test('returns an empty list to a fan without a record', async () => {
    const { body } = await (await world.fan()).get('/api/user/predictions')
    expect(body).toEqual({ predictions: [], nextCursor: null })
  })
})
