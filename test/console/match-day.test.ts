/** Match day in the console: live scores by hand, corrections, and how far predictions are settled. */
import { expect, test } from 'bun:test'
import { freezeDueSplits } from '../../src/play/predictions/split.ts'
import {
  addCompetition,
  addMatch,
  addPredictor,
  HOUR,
  predict,
  settleAll,
  stateOf,
} from '../play/predictions/match-world.ts'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

onEachEngine('match day in the console', world => {
  const console = consoleOf(world)
  const { as } = console
  const editor = as('editor', 'Ana')
  const read = async (matchId: string) => (await editor.get(`/api/match-day/matches/${matchId}`)).body
  async function report(matchId: string, state: object) {
    const { revision, kickoffAt } = await read(matchId)
    const body = { revision: revision + 1, kickoffAt, homeScore: null, awayScore: null, ...state }
    return editor.put(`/api/match-day/matches/${matchId}`, body)
  }
  const finished = (homeScore: number, awayScore: number) => ({ status: 'finished', homeScore, awayScore })
  const reason = 'The referee has ended the match.'
  const finish = (matchId: string, homeScore: number, awayScore: number, more: object = {}) =>
    report(matchId, { ...finished(homeScore, awayScore), reason, ...more })

  test('lists the matches of a day with their teams, page by page, also those that are switched off', async () => {
    const kickoffAt = new Date(world.clock.ms + 400 * HOUR)
    const [first, second] = [
      await world.match({ kickoffAt }),
      await world.match({ kickoffAt: new Date(kickoffAt.getTime() + HOUR), active: false }),
    ]
    const day = `from=${kickoffAt.toISOString()}&to=${new Date(kickoffAt.getTime() + 2 * HOUR).toISOString()}`
    const page = (await editor.get(`/api/match-day/matches?${day}&limit=1`)).body
    expect(page.matches).toMatchObject([{ id: first, active: true, settlement: 'none' }])
    expect(page.matches[0].home.name).toMatch(/^team-/)
    const rest = await editor.get(`/api/match-day/matches?${day}&limit=1&cursor=${page.nextCursor}`)
    expect(rest.body).toMatchObject({ matches: [{ id: second, active: false }], nextCursor: null })
    expect((await editor.get('/api/match-day/seasons')).body.seasons).toContain('2026/27')
  })

  test('a result settles predictions, and the progress is shown', async () => {
    const { matchId } = await addMatch(world)
    const fan = await addPredictor(world, matchId, 2, 1)
    await addPredictor(world, matchId, 0, 3)
    world.clock.advance(2 * HOUR)
    expect((await read(matchId)).progress).toMatchObject({ predictions: 2, settled: 0, state: 'none' })
    expect((await report(matchId, { status: 'live', homeScore: 1, awayScore: 1 })).status).toBe(200)
    const { body } = await finish(matchId, 2, 1)
    expect(body.progress).toMatchObject({ action: 'settle', settled: 0, state: 'running' })
    await settleAll(world)
    const { progress, settlement } = await read(matchId)
    expect([progress, settlement]).toMatchObject([{ predictions: 2, settled: 2, state: 'done' }, 'done'])
    expect(progress.points).toBe((await stateOf(world, fan, matchId)).sum)
    expect(progress.points).toBeGreaterThan(0)
  })

  test('says the rules of a competition, who has jokers, and how fans chose once predictions are closed', async () => {
    const points = { exact: 40, difference: 20, outcome: 10 }
    const competition = await addCompetition(world, { name: 'Winter cup', joker: 3, crowd: true, points })
    const first = await addMatch(world, { competition, round: '1' })
    world.clock.advance(1)
    const { matchId } = await addMatch(world, { competition, round: '1' })
    const fan = await addPredictor(world, matchId, 2, 1)
    await predict(fan, matchId, 2, 1, true)
    await addPredictor(world, matchId, 1, 0)
    const rules = { competition, name: 'Winter cup', deadline: 'round', points, joker: 3, crowd: true }
    const closesAt = (await read(first.matchId)).kickoffAt
    expect((await read(matchId)).rules).toEqual({ ...rules, closesAt, split: null })
    expect((await editor.get(`/api/match-day/matches/${matchId}/pulse`)).body).toMatchObject({
      predictions: 2,
      jokers: 1,
      scores: [
        { homeScore: 1, awayScore: 0, predictions: 1 },
        { homeScore: 2, awayScore: 1, predictions: 1 },
      ],
    })
    world.clock.advance(HOUR)
    await freezeDueSplits(world.db)
    expect((await read(matchId)).rules.split).toMatchObject({
      predictions: 2,
      home: { predictions: 2, points: 10 },
      draw: { predictions: 0, points: 20 },
    })
    const [from, to] = [closesAt, new Date(Date.parse(closesAt) + HOUR).toISOString()]
    const { matches } = (await editor.get(`/api/match-day/matches?from=${from}&to=${to}`)).body
    const listed = matches.find(({ id }: { id: string }) => id === matchId)
    expect(listed).toMatchObject({ competition: 'Winter cup', round: '1' })
    const { matchId: other } = await addMatch(world)
    expect((await read(other)).rules).toMatchObject({ competition: null, name: null, joker: null })
  })

  test('a correction needs a reason, and predictions are settled again', async () => {
    const { matchId } = await addMatch(world)
    const fan = await addPredictor(world, matchId, 2, 1)
    world.clock.advance(2 * HOUR)
    await finish(matchId, 2, 1)
    await settleAll(world)
    const without = await report(matchId, finished(0, 3))
    expect([without.status, without.body.errors]).toEqual([
      422,
      [{ pointer: '/reason', message: expect.stringContaining('is required') }],
    ])
    expect((await read(matchId)).homeScore).toBe(2)
    const corrected = 'The goal was given to the other side.'
    expect((await report(matchId, { ...finished(0, 3), reason: corrected })).status).toBe(200)
    await settleAll(world)
    expect((await stateOf(world, fan, matchId)).sum).toBe(0)
    const { entries } = (await as('owner').get(`/api/audit?subjectKind=match&subjectId=${matchId}`)).body
    expect(entries).toMatchObject([
      { operation: 'reportMatch', reason: corrected, detail: finished(0, 3) },
      { operation: 'reportMatch', reason, detail: finished(2, 1) },
    ])
  })

  test('a result needs a reason, and a match that cannot be over a second confirmation', async () => {
    const { matchId } = await addMatch(world)
    const { kickoffAt } = await read(matchId)
    for (const minutes of [-60, 0, 44]) {
      world.clock.ms = Date.parse(kickoffAt) + minutes * 60_000
      const early = await finish(matchId, 1, 0)
      expect([early.status, early.body.code, early.body.kickoffAt]).toEqual([
        409,
        'match_not_over',
        kickoffAt,
      ])
    }
    expect((await read(matchId)).status).toBe('scheduled')
    world.clock.ms = Date.parse(kickoffAt) + 45 * 60_000
    const without = await report(matchId, finished(1, 0))
    expect([without.status, without.body.errors[0].pointer]).toEqual([422, '/reason'])
    expect((await finish(matchId, 1, 0)).body.status).toBe('finished')

    const tomorrow = (await addMatch(world)).matchId
    expect((await finish(tomorrow, 1, 0, { early: true })).body.status).toBe('finished')
  })

  test('the forecast of a result says what its settlement does, also for a correction', async () => {
    const { matchId } = await addMatch(world)
    const fans = []
    for (const [home, away] of [
      [2, 1],
      [3, 2],
      [1, 0],
      [4, 0],
      [0, 0],
    ] as const)
      fans.push(await addPredictor(world, matchId, home, away))
    const { kickoffAt } = await read(matchId)
    const forecast = async (homeScore: number, awayScore: number, at = kickoffAt) => {
      const query = new URLSearchParams({
        homeScore: `${homeScore}`,
        awayScore: `${awayScore}`,
        kickoffAt: at,
      })
      return (await editor.get(`/api/match-day/matches/${matchId}/forecast?${query}`)).body
    }
    const first = await forecast(2, 1)
    expect(first).toMatchObject({ predictions: 5, exact: 1, difference: 2, outcome: 1, missed: 1, late: 0 })
    expect(first.takesBack).toBe(0)
    world.clock.advance(2 * HOUR)
    await finish(matchId, 2, 1)
    await settleAll(world)
    const points = async () => (await read(matchId)).progress.points
    expect(await points()).toBe(first.grants)
    expect(await forecast(2, 1)).toMatchObject({ grants: 0, takesBack: 0 })
    const second = await forecast(0, 0)
    expect(second).toMatchObject({ exact: 1, missed: 4 })
    await report(matchId, { ...finished(0, 0), reason })
    await settleAll(world)
    expect(await points()).toBe(first.grants + second.grants - second.takesBack)
    const late = await forecast(0, 0, new Date(Date.parse(kickoffAt) - 24 * HOUR).toISOString())
    expect(late).toMatchObject({ late: 5, exact: 0, grants: 0 })
    expect((await editor.get(`/api/match-day/matches/${matchId}/forecast?homeScore=-1`)).status).toBe(422)
  })

  test('the pulse counts what fans predict, and check-ins by minute', async () => {
    const { matchId } = await addMatch(world)
    for (const [home, away] of [
      [2, 1],
      [2, 1],
      [1, 1],
      [0, 3],
    ] as const)
      await addPredictor(world, matchId, home, away)
    const pulse = async () => (await editor.get(`/api/match-day/matches/${matchId}/pulse`)).body
    const checkIn = async () => {
      const { code } = (await editor.get(`/api/match-day/matches/${matchId}/check-in-code`)).body
      expect((await (await world.fan()).post('/api/check-ins', { code })).status).toBe(201)
    }
    world.clock.ms += 60_000 - (world.clock.ms % 60_000)
    await checkIn()
    await checkIn()
    world.clock.advance(59_999)
    await checkIn()
    world.clock.advance(1)
    await checkIn()
    const { minutes, scores, ...counts } = await pulse()
    expect(counts).toEqual({ predictions: 4, home: 2, draw: 1, away: 1, jokers: 0, checkIns: 4 })
    expect(scores[0]).toEqual({ homeScore: 2, awayScore: 1, predictions: 2 })
    expect(minutes.map((one: { checkIns: number }) => one.checkIns).slice(-3)).toEqual([0, 3, 1])
    expect([minutes.length, minutes.at(-1).at]).toEqual([30, new Date(world.clock.ms).toISOString()])
    world.clock.advance(HOUR)
    expect((await pulse()).minutes.every((one: { checkIns: number }) => one.checkIns === 0)).toBe(true)
    const { from, to } = { from: (await read(matchId)).kickoffAt, to: '2100-01-01T00:00:00Z' }
    const { matches } = (await editor.get(`/api/match-day/matches?from=${from}&to=${to}`)).body
    expect(matches.find(({ id }: { id: string }) => id === matchId).predictions).toBe(4)
    for (const path of ['pulse', `forecast?homeScore=1&awayScore=0&kickoffAt=${from}`])
      expect((await editor.get(`/api/match-day/matches/none/${path}`)).body.code).toBe('match_not_found')
  })

  test('one of two reports with the same revision succeeds, and the other gets the stored one', async () => {
    const matchId = await world.match({ revision: 4 })
    const { kickoffAt } = await read(matchId)
    const reports = [1, 2, 3].map(homeScore =>
      editor.put(`/api/match-day/matches/${matchId}`, {
        ...{ revision: 5, status: 'live', kickoffAt, homeScore, awayScore: 0 },
      }),
    )
    const answers = await Promise.all(reports)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    for (const { status, body } of answers)
      if (status === 409) expect(body).toMatchObject({ code: 'stale_revision', revision: 5 })
  })

  test('a wrong revision is lowered with a reason', async () => {
    const matchId = await world.match({ revision: 4_000 })
    const path = `/api/match-day/matches/${matchId}/revision`
    const reason = 'The scoreboard had sent 4000.'
    expect((await editor.post(path, { revision: 4_001, reason })).status).toBe(422)
    expect((await editor.post(path, { revision: 4, reason })).body.revision).toBe(4)
    const { entries } = (await as('owner').get(`/api/audit?subjectKind=match&subjectId=${matchId}`)).body
    expect(entries).toMatchObject([{ detail: { before: 4_000, revision: 4 } }])
  })

  test('counts who has checked in at a match, and at no other', async () => {
    const [match, other] = [await world.match(), await world.match()]
    expect((await read(match)).checkIns).toBe(0)
    const { code } = (await editor.get(`/api/match-day/matches/${match}/check-in-code`)).body
    for (const fan of [await world.fan(), await world.fan()]) {
      expect((await fan.post('/api/check-ins', { code })).status).toBe(201)
      expect((await fan.post('/api/check-ins', { code })).status).toBe(200)
    }
    expect([(await read(match)).checkIns, (await read(other)).checkIns]).toEqual([2, 0])
  })

  test.each(['support', 'editor', 'owner'] as const)('%s gets the code at the gate', async role => {
    const matchId = await world.match()
    const path = `/api/match-day/matches/${matchId}/check-in-code`
    const { status, body, headers } = await as(role).get(path)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    const fan = await world.fan()
    expect((await fan.post('/api/check-ins', { code: body.code })).body.matchId).toBe(matchId)
    expect((await as(role).get('/api/match-day/matches/none/check-in-code')).body.code).toBe(
      'match_not_found',
    )
  })

  test('a page of the console shows the code by the session; the public one asks for a key', async () => {
    const matchId = await world.match()
    const [own, open] = await Promise.all(
      [console.app, world.app].map(async app => {
        const response = await app.handle(new Request(`http://localhost/check-in/${matchId}`))
        return { status: response.status, text: await response.text(), headers: response.headers }
      }),
    )
    expect([own?.status, open?.status]).toEqual([200, 200])
    expect(own?.text).toContain('data-matches="/api/match-day/matches" data-session')
    expect(own?.text).not.toContain('<input')
    expect(open?.text).toContain('id="server-key"')
    expect(open?.text).not.toContain('data-session')
    expect(own?.headers.get('content-security-policy')).toContain("script-src 'self'")
    for (const name of ['check-in.js', 'check-in.css', 'lean-qr.mjs'])
      expect((await console.anonymous.get(`/check-in/assets/${name}`)).status).toBe(200)
  })

  test('the public page of the gate is at the public address', async () => {
    const matchId = await world.match()
    const { gateUrl } = await read(matchId)
    expect(new URL(gateUrl).pathname).toBe(`/check-in/${matchId}`)
    expect((await editor.get('/api/match-day/matches/none')).body.code).toBe('match_not_found')
  })
})
