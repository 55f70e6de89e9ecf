/** Match day in the console: live scores by hand, corrections, and how far predictions are settled. */
import { expect, test } from 'bun:test'
import { addMatch, addPredictor, HOUR, settleAll, stateOf } from '../play/predictions/match-world.ts'
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

  test('a result settles predictions, and shows how far it is', async () => {
    const { matchId } = await addMatch(world)
    const fan = await addPredictor(world, matchId, 2, 1)
    await addPredictor(world, matchId, 0, 3)
    world.clock.advance(2 * HOUR)
    expect((await read(matchId)).progress).toMatchObject({ predictions: 2, settled: 0, state: 'none' })
    expect((await report(matchId, { status: 'live', homeScore: 1, awayScore: 1 })).status).toBe(200)
    const { body } = await report(matchId, finished(2, 1))
    expect(body.progress).toMatchObject({ action: 'settle', settled: 0, state: 'running' })
    await settleAll(world)
    const { progress, settlement } = await read(matchId)
    expect([progress, settlement]).toMatchObject([{ predictions: 2, settled: 2, state: 'done' }, 'done'])
    expect(progress.points).toBe((await stateOf(world, fan, matchId)).sum)
    expect(progress.points).toBeGreaterThan(0)
  })

  test('a correction needs a reason, and predictions are settled again', async () => {
    const { matchId } = await addMatch(world)
    const fan = await addPredictor(world, matchId, 2, 1)
    world.clock.advance(2 * HOUR)
    await report(matchId, finished(2, 1))
    await settleAll(world)
    const without = await report(matchId, finished(0, 3))
    expect([without.status, without.body.errors]).toEqual([
      422,
      [{ pointer: '/reason', message: expect.stringContaining('is required') }],
    ])
    expect((await read(matchId)).homeScore).toBe(2)
    const reason = 'The goal was given to the other side.'
    expect((await report(matchId, { ...finished(0, 3), reason })).status).toBe(200)
    await settleAll(world)
    expect((await stateOf(world, fan, matchId)).sum).toBe(0)
    const { entries } = (await as('owner').get(`/api/audit?subjectKind=match&subjectId=${matchId}`)).body
    expect(entries).toMatchObject([{ operation: 'reportMatch', reason, detail: finished(0, 3) }, {}])
  })

  test('of two who report the same revision, the other is told the stored one', async () => {
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
