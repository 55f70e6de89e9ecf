/** A fan leaves the leaderboard and joins it again. */
import { expect, test } from 'bun:test'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { joinLeaderboard } from '../../../src/economy/points/join-leaderboard.ts'
import { patientFan, refusal } from '../../play/packs/packs-world.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'

const PATH = '/api/user/leaderboard-membership'
const BOARDS = ['', '?period=week', '?period=month']
const DAY = 86_400_000

onEachEngine('Leaderboard membership', world => {
  const join = (fan: Pick<Fan, 'put'>, headers?: Record<string, string>) => fan.put(PATH, undefined, headers)
  const leave = (fan: Pick<Fan, 'send'>) => fan.send(PATH, { method: 'DELETE' })
  const me = async (fan: Fan, query = '') => (await fan.get(`/api/leaderboard${query}`)).body.me
  const total = async (query = '') => (await world.anonymous.get(`/api/leaderboard${query}`)).body.total
  const idOf = async (fan: Fan): Promise<string> => (await fan.get('/api/user/profile')).body.id
  const listed = async (query: string) =>
    (await world.anonymous.get(`/api/leaderboard${query}`)).body.entries.map(
      ({ userId }: { userId: string }) => userId,
    )

  async function onboarded(points: number) {
    const fan = await patientFan(world, points)
    expect((await fan.post('/api/user/onboarding', {})).status).toBe(200)
    return fan
  }

  /** Ranks, scores and counts follow from the ledger. */
  async function expectSound() {
    const findings: unknown[] = []
    await verifyLedger(world.db, { onFinding: finding => findings.push(finding) })
    expect(findings).toEqual([])
  }

  test('leaving removes a fan from every board at once, and keeps the points', async () => {
    const fan = await onboarded(500)
    const before = await Promise.all(BOARDS.map(query => total(query)))
    const id = await idOf(fan)
    for (const query of BOARDS) expect(await listed(query)).toContain(id)
    const { status, body } = await leave(fan)
    expect([status, body]).toEqual([204, undefined])
    for (const query of BOARDS) {
      expect(await listed(query)).not.toContain(id)
      expect(await me(fan, query)).toBeNull()
    }
    expect(await Promise.all(BOARDS.map(query => total(query)))).toEqual(before.map(count => count - 1))
    expect((await fan.get('/api/dashboard')).body).toMatchObject({ rank: null, points: 600 })
    expect((await fan.get('/api/user/onboarding')).body.leaderboard).toEqual({
      enrolled: false,
      enrolledAt: null,
    })
    await expectSound()
  })

  test('leaving removes a fan from boards of past periods', async () => {
    const fan = await onboarded(10)
    const { id: week } = (await fan.get('/api/leaderboard?period=week')).body.board
    world.clock.advance(8 * DAY)
    expect(await me(fan, `?period=week&of=${week}`)).toMatchObject({ points: 110 })
    await leave(fan)
    expect(await me(fan, `?period=week&of=${week}`)).toBeNull()
    await expectSound()
  })

  test('points earned after leaving put the fan on no board', async () => {
    const fan = await onboarded(10)
    await leave(fan)
    await world.grant(fan, 90)
    for (const query of BOARDS) expect(await me(fan, query)).toBeNull()
    await expectSound()
  })

  test('joining again places the fan by lifetime points, spending aside, and by the current period', async () => {
    const fan = await onboarded(10)
    await leave(fan)
    world.clock.advance(40 * DAY)
    await world.grant(fan, 90)
    await world.grant(fan, -150)
    const { status } = await join(fan)
    expect(status).toBe(204)
    expect(await me(fan)).toMatchObject({ points: 200 })
    for (const query of ['?period=week', '?period=month'])
      expect(await me(fan, query)).toMatchObject({ points: 90 })
    const enrolledAt = world.clock.now().toISOString()
    expect((await fan.get('/api/user/onboarding')).body.leaderboard).toEqual({ enrolled: true, enrolledAt })
    await expectSound()
  })

  test('joining and leaving are idempotent, for a fan without a record, too', async () => {
    const fan = await patientFan(world)
    expect((await leave(fan)).status).toBe(204)
    expect((await fan.get('/api/user/profile')).body.code).toBe('profile_not_found')
    for (const call of [join, join]) expect((await call(fan)).status).toBe(204)
    const place = await me(fan)
    expect(place).toMatchObject({ points: 0 })
    world.clock.advance(1_000)
    await join(fan)
    expect(await me(fan)).toEqual(place)
    for (const call of [leave, leave]) expect((await call(fan)).status).toBe(204)
    expect(await me(fan)).toBeNull()
    await expectSound()
  })

  test('a replayed request does not join again a fan who has left since', async () => {
    const fan = await patientFan(world, 5)
    const key = { 'idempotency-key': 'join-1' }
    await join(fan, key)
    await leave(fan)
    const replay = await join(fan, key)
    expect([replay.status, replay.body, replay.headers.get('idempotent-replayed')]).toEqual([
      204,
      undefined,
      'true',
    ])
    expect(await me(fan)).toBeNull()
  })

  test('an onboarding, or a repair by an operator, does not join again a fan who has left', async () => {
    const fan = await patientFan(world, 5)
    await join(fan)
    const userId = (await me(fan)).userId
    await leave(fan)
    await fan.post('/api/user/onboarding', {})
    expect(await world.db.write(tx => joinLeaderboard(tx, userId))).toBe(false)
    expect(await me(fan)).toBeNull()
  })

  test('joining, leaving and earning at the same time end in one consistent state', async () => {
    const fan = await onboarded(10)
    for (let round = 0; round < 4; round++) {
      const calls = [join(fan), leave(fan), world.grant(fan, 1), join(fan), leave(fan), world.grant(fan, 1)]
      await Promise.all(round % 2 === 0 ? calls : calls.toReversed())
      await expectSound()
    }
    await join(fan)
    expect(await me(fan)).toMatchObject({ points: 118 })
    await expectSound()
  })

  test('asks an anonymous caller to sign in', async () => {
    for (const call of [join, leave])
      expect(refusal(await call(world.anonymous))).toEqual([401, 'unauthenticated'])
  })
})
