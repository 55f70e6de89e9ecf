import { beforeAll, expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { DatabaseError } from '../../../db/index.ts'
import type { Client } from '../../support/client.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { patientFan, userIdOf } from '../packs/packs-world.ts'

const HOUR = 3_600_000

onEachEngine('POST /api/check-ins', world => {
  const at = (ms: number) => new Date(world.clock.ms + ms)
  const codeOf = (matchId: string) => world.deps.checkInCodes.issue(matchId, world.clock.now()).code
  const checkIn = (fan: Client, matchId: string) => fan.post('/api/check-ins', { code: codeOf(matchId) })
  const eventsOf = async (fan: Fan) => {
    const { events } = world.db.tables
    const userId = (await userIdOf(world, fan)) ?? ''
    const isTheirs = and(eq(events.userId, userId), eq(events.type, 'match.checked_in'))
    return world.db.read.select().from(events).where(isTheirs)
  }
  const reported = () => world.logged.filter(line => line.includes('checked_in_at_two_places'))

  test('checks a fan in with 201, and records one event', async () => {
    const fan = await world.fan()
    const matchId = await world.match({ venue: 'Harbour Park', round: 'Round 1' })
    const { status, body } = await checkIn(fan, matchId)
    expect([status, body]).toEqual([201, { matchId, checkedInAt: world.clock.now().toISOString() }])
    const [event, ...others] = await eventsOf(fan)
    expect(others).toEqual([])
    expect(JSON.parse(event?.data ?? '')).toMatchObject({ matchId, venue: 'Harbour Park', round: 'Round 1' })
  })

  test('answers a repeat with 200 and the first check-in, also under a later code', async () => {
    const fan = await world.fan()
    const matchId = await world.match()
    const first = await checkIn(fan, matchId)
    world.clock.advance(90_000)
    const { status, body } = await checkIn(fan, matchId)
    expect([status, body]).toEqual([200, first.body])
    expect(await eventsOf(fan)).toHaveLength(1)
  })

  test('one code works for many fans', async () => {
    const code = codeOf(await world.match())
    for (let fans = 0; fans < 3; fans++)
      expect((await (await world.fan()).post('/api/check-ins', { code })).status).toBe(201)
  })

  test('of ten check-ins of one fan at once, one is 201 and the others are 200', async () => {
    const fan = await world.fan()
    const matchId = await world.match()
    const answers = await Promise.all(Array.from({ length: 10 }, () => checkIn(fan, matchId)))
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([...Array(9).fill(200), 201])
    expect(await eventsOf(fan)).toHaveLength(1)
  })

  test.each([
    ['3 hours before kick-off', 3 * HOUR, 201],
    ['earlier', 3 * HOUR + 1, 409],
    ['3 hours after kick-off', -3 * HOUR, 201],
    ['later', -3 * HOUR - 1, 409],
  ])('a check-in %s gets the answer of that time', async (_, kickoffIn, expected) => {
    const matchId = await world.match({ kickoffAt: at(kickoffIn) })
    const { status, body } = await checkIn(await world.fan(), matchId)
    expect([status, body.code]).toEqual([expected, expected === 409 ? 'check_in_closed' : undefined])
  })

  test.each([
    ['scheduled', 201],
    ['live', 201],
    ['finished', 201],
    ['postponed', 409],
    ['cancelled', 409],
  ])('a %s match is answered with %i', async (state, expected) => {
    const scores = state === 'finished' ? { homeScore: 0, awayScore: 0 } : {}
    const matchId = await world.match({ status: state, ...scores })
    expect((await checkIn(await world.fan(), matchId)).status).toBe(expected)
  })

  test.each([
    ['too early', { kickoffIn: 5 * HOUR }, 2 * HOUR, /^Check-in opens at 2026-/],
    ['too late', { kickoffIn: -5 * HOUR }, undefined, /^Check-in closed at 2026-/],
    ['for a cancelled match', { status: 'cancelled' }, undefined, /^The match is cancelled\.$/],
    ['for a postponed match', { status: 'postponed' }, undefined, /^The match is postponed\.$/],
    [
      'for a match that is switched off',
      { active: false },
      undefined,
      /^Check-in for the match is closed\.$/,
    ],
  ] as const)('a check-in %s says why, and when it opens', async (_, fields, opensIn, detail) => {
    const { kickoffIn = 0, ...columns } = { kickoffIn: 0, ...fields }
    const { body } = await checkIn(
      await world.fan(),
      await world.match({ ...columns, kickoffAt: at(kickoffIn) }),
    )
    expect([body.code, body.opensAt]).toEqual(['check_in_closed', opensIn && at(opensIn).toISOString()])
    expect(body.detail).toMatch(detail)
  })

  test('a refused check-in leaves no record and no event', async () => {
    const fan = await world.fan()
    await checkIn(fan, await world.match({ status: 'cancelled' }))
    expect(await userIdOf(world, fan)).toBeUndefined()
  })

  test.each([
    ['an old code', 60_000, (code: string) => code],
    ['a forged code', 0, (code: string) => code.replace(/\.A?/, found => (found === '.A' ? '.B' : '.A'))],
    ['any text', 0, () => 'let me in'],
  ])('%s is 422 invalid_check_in_code', async (_, age, change) => {
    const code = change(codeOf(await world.match()))
    world.clock.advance(age)
    const { status, body } = await (await world.fan()).post('/api/check-ins', { code })
    expect([status, body.code]).toEqual([422, 'invalid_check_in_code'])
  })

  test.each([
    ['no code', {}, '/code'],
    ['a number', { code: 7 }, '/code'],
    ['a code that is too long', { code: 'x'.repeat(201) }, '/code'],
    ['an unknown member', { code: 'x', matchId: 'y' }, '/matchId'],
  ])('%s is 422 with the place', async (_, body, pointer) => {
    const answer = await (await world.fan()).post('/api/check-ins', body)
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([
      422,
      'validation_failed',
      pointer,
    ])
  })

  test('a request without a token is 401 unauthenticated', async () => {
    const { status, body } = await checkIn(world.anonymous, await world.match())
    expect([status, body.code]).toEqual([401, 'unauthenticated'])
  })

  test.each([
    ['two venues within 3 hours are a security event', 'Harbour Park', 'Rover Lane', HOUR, 1],
    ['unknown venues count as two', null, null, HOUR, 1],
    ['one venue is none', 'Harbour Park', 'Harbour Park', HOUR, 0],
    ['two venues 3 hours apart are none', 'Harbour Park', 'Rover Lane', 3 * HOUR, 0],
  ])('%s', async (_, venue, other, later, events) => {
    const fan = await patientFan(world)
    const [first, second] = [
      await world.match({ venue }),
      await world.match({ venue: other, kickoffAt: at(later) }),
    ]
    world.logged.length = 0
    expect((await checkIn(fan, first)).status).toBe(201)
    world.clock.advance(later)
    expect((await checkIn(fan, second)).status).toBe(201)
    expect((await checkIn(fan, second)).status).toBe(200)
    expect(reported()).toHaveLength(events)
    const userId = await userIdOf(world, fan)
    for (const line of reported()) expect(JSON.parse(line)).toMatchObject({ level: 40, userId })
  })

  test('a check-in at two places logs a security event when it commits, not when it is rolled back', async () => {
    const fan = await patientFan(world)
    await checkIn(fan, await world.match({ venue: 'Harbour Park' }))
    const second = await world.match({ venue: 'Rover Lane' })
    world.logged.length = 0
    const { write } = world.db
    world.db.write = work =>
      write(async tx => {
        await work(tx)
        throw new DatabaseError('busy')
      })
    const failed = await checkIn(fan, second)
    world.db.write = write
    expect([failed.status, reported()]).toEqual([503, []])
    expect((await checkIn(fan, second)).status).toBe(201)
    expect(reported()).toHaveLength(1)
  })
})

onEachEngine('GET /api/matches/{id}/check-in-code', world => {
  let club: Client
  beforeAll(async () => {
    club = world.withToken(await world.serverKey(['matches:write']))
  })

  test('returns the current code, which is not cached, and with which a fan checks in', async () => {
    const matchId = await world.match()
    const { status, body, headers } = await club.get(`/api/matches/${matchId}/check-in-code`)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body.validUntil).toBe('2026-08-15T18:31:00.000Z')
    expect((await (await world.fan()).post('/api/check-ins', { code: body.code })).status).toBe(201)
  })

  test('an unknown match is 404 match_not_found', async () => {
    const { status, body } = await club.get('/api/matches/no-such-match/check-in-code')
    expect([status, body.code]).toEqual([404, 'match_not_found'])
  })

  test('no token and the token of a fan are 401, and a key without the scope is 403', async () => {
    const path = `/api/matches/${await world.match()}/check-in-code`
    const weak = world.withToken(await world.serverKey(['events:write']))
    const answers = [
      await world.anonymous.get(path),
      await (await world.fan()).get(path),
      await weak.get(path),
    ]
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [401, 'unauthenticated'],
      [401, 'invalid_server_key'],
      [403, 'insufficient_scope'],
    ])
  })
})
