import { beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { resetRevision } from '../../../src/club/matches/update-match.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'

const KICK_OFF = '2026-08-15T18:30:00.000Z'

onEachEngine('PUT /api/matches/{id}', world => {
  let club: Client
  beforeAll(async () => {
    club = world.withToken(await world.serverKey(['matches:write']))
  })
  const state = (fields: object) => ({
    revision: 2,
    status: 'scheduled',
    kickoffAt: KICK_OFF,
    homeScore: null,
    awayScore: null,
    ...fields,
  })
  const put = (id: string, fields: object) => club.put(`/api/matches/${id}`, state(fields))
  const read = async (id: string) => (await world.anonymous.get(`/api/matches/${id}`)).body
  const settlementOf = async (id: string) => {
    const { matchSettlements } = world.db.tables
    const [row] = await world.db.read.select().from(matchSettlements).where(eq(matchSettlements.matchId, id))
    return row
  }

  test.each([
    ['begins', { status: 'live', homeScore: 0, awayScore: 0 }],
    ['ends', { status: 'finished', homeScore: 2, awayScore: 1 }],
    ['is postponed', { status: 'postponed' }],
    ['is moved', { kickoffAt: '2026-08-16T14:00:00.000Z' }],
    ['is cancelled', { status: 'cancelled' }],
  ])('a match %s, and the next read shows it', async (_, fields) => {
    const id = await world.match()
    await read(id)
    const { status, body } = await put(id, fields)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, ...state(fields) })
    expect(await read(id)).toEqual(body)
  })

  test.each(['2026-08-16T14:00:00Z', '2026-08-16t16:00:00.000000+02:00'])(
    'a kick-off may be any RFC 3339 instant, such as %s',
    async kickoffAt => {
      const { status, body } = await put(await world.match(), { kickoffAt })
      expect([status, body.kickoffAt]).toEqual([200, '2026-08-16T14:00:00.000Z'])
    },
  )

  test('a repeat of the stored revision is accepted and changes nothing', async () => {
    const id = await world.match()
    const first = await put(id, { status: 'live' })
    world.clock.advance(1_000)
    expect(await put(id, { status: 'live' })).toMatchObject({ status: 200, body: first.body })
  })

  test.each([
    ['an older revision', 4],
    ['the stored revision with another state', 5],
  ])('%s is 409 stale_revision, with the stored revision', async (_, revision) => {
    const id = await world.match()
    await put(id, { revision: 5, status: 'live' })
    const { status, body } = await put(id, { revision, status: 'cancelled' })
    expect([status, body.code, body.revision]).toEqual([409, 'stale_revision', 5])
    expect(await read(id)).toMatchObject({ status: 'live', revision: 5 })
  })

  test('a revision can be 1,000,000 greater than the stored one, and no more', async () => {
    const id = await world.match({ revision: 7 })
    const { status, body } = await put(id, { revision: 1_000_008, status: 'live' })
    expect([status, body.code, body.errors]).toEqual([
      422,
      'validation_failed',
      [{ pointer: '/revision', message: 'must be at most 1000007' }],
    ])
    expect(await read(id)).toMatchObject({ status: 'scheduled', revision: 7 })
    expect((await put(id, { revision: 1_000_007, status: 'live' })).body.revision).toBe(1_000_007)
  })

  test('after a reset of the revision, reports are accepted that were refused before', async () => {
    const id = await world.match({ revision: 1_786_818_600_000 })
    expect((await put(id, { revision: 3, status: 'live' })).body.code).toBe('stale_revision')
    const reset = await world.db.write(tx => resetRevision(tx, id, 2))
    expect(reset).toMatchObject({ before: 1_786_818_600_000, match: { id, revision: 2 } })
    expect(await read(id)).toMatchObject({ status: 'scheduled', revision: 2 })
    expect(await put(id, { revision: 3, status: 'live' })).toMatchObject({
      status: 200,
      body: { revision: 3 },
    })
  })

  test('of twenty revisions at once, in any order, the greatest remains', async () => {
    const id = await world.match()
    const revisions = Array.from({ length: 20 }, (_, n) => ((n * 7) % 20) + 2)
    const answers = await Promise.all(
      revisions.map(revision => put(id, { revision, status: 'live', homeScore: revision, awayScore: 0 })),
    )
    expect(new Set(answers.map(({ status }) => status)).difference(new Set([200, 409])).size).toBe(0)
    expect(await read(id)).toMatchObject({ revision: 21, homeScore: 21 })
  })

  test('an unknown match, or one that is switched off, is 404 match_not_found', async () => {
    for (const id of ['no-such-match', await world.match({ active: false })]) {
      const { status, body } = await put(id, {})
      expect([status, body.code]).toEqual([404, 'match_not_found'])
    }
  })

  test.each([
    ['finished without scores', { status: 'finished' }, '/homeScore'],
    ['scheduled with scores', { homeScore: 1, awayScore: 1 }, '/homeScore'],
    ['live with one score', { status: 'live', homeScore: 1 }, '/awayScore'],
    ['of an unknown status', { status: 'over' }, '/status'],
    ['at revision 0', { revision: 0 }, '/revision'],
    ['at a time that is no instant', { kickoffAt: '2026-08-15' }, '/kickoffAt'],
    ['without its scores', { homeScore: undefined }, '/homeScore'],
    ['with an unknown member', { venue: 'Harbour Park' }, '/venue'],
  ])('a match %s is 422 with the place', async (_, fields, pointer) => {
    const { status, body } = await put(await world.match(), fields)
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'validation_failed', pointer])
  })

  test.each([
    ['nobody', async () => world.anonymous, 401, 'unauthenticated'],
    ['a fan', () => world.fan(), 401, 'invalid_server_key'],
    [
      'a key without the scope',
      async () => world.withToken(await world.serverKey(['events:write'])),
      403,
      'insufficient_scope',
    ],
  ] as [string, () => Promise<Client>, number, string][])(
    '%s cannot change a match',
    async (_, caller, expected, code) => {
      const id = await world.match()
      const { status, body } = await (await caller()).put(
        `/api/matches/${id}`,
        state({ status: 'cancelled' }),
      )
      expect([status, body.code]).toEqual([expected, code])
      expect(await read(id)).toMatchObject({ status: 'scheduled', revision: 1 })
    },
  )

  test('a result is queued for settlement once, and again when it changes or is removed', async () => {
    const id = await world.match()
    await put(id, { status: 'live', homeScore: 1, awayScore: 0 })
    expect(await settlementOf(id)).toBeUndefined()
    await put(id, { revision: 3, status: 'finished', homeScore: 1, awayScore: 0 })
    expect(await settlementOf(id)).toMatchObject({ action: 'settle', revision: 3, homeScore: 1 })
    await put(id, { revision: 4, status: 'finished', homeScore: 1, awayScore: 0 })
    expect(await settlementOf(id)).toMatchObject({ revision: 3 })
    await put(id, { revision: 5, status: 'finished', homeScore: 1, awayScore: 1 })
    expect(await settlementOf(id)).toMatchObject({ action: 'settle', revision: 5, awayScore: 1 })
    await put(id, { revision: 6, status: 'cancelled' })
    expect(await settlementOf(id)).toMatchObject({ action: 'void', revision: 6, homeScore: null })
    await put(id, { revision: 7 })
    expect(await settlementOf(id)).toMatchObject({ action: 'reopen', revision: 7 })
  })

  test.each([
    ['of a finished match settles it again', { status: 'finished', homeScore: 1, awayScore: 0 }, 3],
    ['of a cancelled match has no effect on its settlement', { status: 'cancelled' }, 2],
  ])('another kick-off %s', async (_, state, revision) => {
    const id = await world.match()
    await put(id, state)
    expect(await settlementOf(id)).toMatchObject({ revision: 2 })
    const kickoffAt = '2026-08-16T13:00:00.000Z'
    const { body } = await put(id, { ...state, revision: 3, kickoffAt })
    expect(body).toMatchObject({ revision: 3, kickoffAt })
    expect(await settlementOf(id)).toMatchObject({ revision })
  })
})
