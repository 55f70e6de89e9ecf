/** Clocks that are set back or ahead: nothing is granted or sold twice, and no hold lasts forever. */
import { expect, test } from 'bun:test'
import { FETCH_COOLDOWN_MS } from '../../src/platform/identity-provider/key-set.ts'
import { faultsOf } from '../crash/statements.ts'
import {
  addPack,
  complete,
  expectStatus,
  HOLD,
  patientFan,
  refusal,
  remaining,
  start,
} from '../play/packs/packs-world.ts'
import { type Fan, ISSUER, onEachEngine, type World } from '../support/world.ts'

const SECOND = 1000
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The fan with a current token, because one from the future is refused. */
const signedIn = async (world: World, { subject }: Fan) =>
  world.withToken(await world.idp.issueToken(subject, { expiresIn: 365 * 86_400 }))

onEachEngine('A clock that is set', world => {
  for (const by of [-2 * DAY, -HOUR, HOUR, 400 * DAY]) {
    test(`by ${by / HOUR} h grants no second onboarding and changes no first`, async () => {
      const fan = await patientFan(world)
      const first = expectStatus(200, await fan.post('/api/user/onboarding', {}))
      world.clock.set(by)
      const again = await signedIn(world, fan)
      const { alreadyCompleted, ...second } = expectStatus(200, await again.post('/api/user/onboarding', {}))
      expect([alreadyCompleted, second]).toEqual([true, first])
      expect((await again.get('/api/user/points')).body).toMatchObject({ balance: 100, lifetime: 100 })
      expect(await faultsOf(world)).toEqual([])
    })

    test(`by ${by / HOUR} h replays the stored response of a key, or executes the request again safely`, async () => {
      const fan = await patientFan(world, 1_000)
      const rewardId = await world.reward()
      const headers = { 'idempotency-key': `set by ${by}` }
      const first = expectStatus(200, await fan.post('/api/rewards/claim', { rewardId }, headers))
      world.clock.set(by)
      const again = await (await signedIn(world, fan)).post('/api/rewards/claim', { rewardId }, headers)
      // A day later the record is deleted, and the row of the claim decides.
      if (by < DAY) expect([again.status, again.body]).toEqual([200, first])
      else expect(refusal(again)).toEqual([409, 'already_claimed'])
    })
  }

  test('back: new ledger entries continue the chain, and rank after existing ones', async () => {
    const fan = await patientFan(world)
    expectStatus(200, await fan.post('/api/user/onboarding', {}))
    world.clock.set(-DAY)
    await world.grant(fan, 50)
    await world.grant(fan, -20)
    const { entries } = (await (await signedIn(world, fan)).get('/api/user/points')).body
    expect(entries.map(({ seq, balanceAfter }: Record<string, number>) => [seq, balanceAfter])).toEqual([
      [3, 130],
      [2, 150],
      [1, 100],
    ])
    expect(await faultsOf(world)).toEqual([])
  })

  test('back: a hold stays a single one, supply is never negative, and the hold expires on time', async () => {
    const fan = await patientFan(world, 500)
    const packId = await addPack(world, { supply: 2 })
    const held = expectStatus(201, await start(fan, packId))
    world.clock.set(-HOUR)
    expect(await remaining(world, packId)).toBe(1)
    const again = await signedIn(world, fan)
    expectStatus(201, await start(again, packId))
    expect([await remaining(world, packId), ...refusal(await start(again, packId))]).toEqual([
      0,
      409,
      'sold_out',
    ])
    // The later hold expires earlier.
    world.clock.advance(HOLD)
    expect(await remaining(world, packId)).toBe(1)
    world.clock.advance(HOUR)
    expect(await remaining(world, packId)).toBe(2)
    expect(refusal(await complete(again, held.id))).toEqual([409, 'purchase_expired'])
  })

  test('back: cursors continue at their position, and each pack is listed once', async () => {
    const fan = await patientFan(world, 1_000)
    const packId = await addPack(world)
    const ids: string[] = []
    for (let n = 0; n < 6; n++) {
      const again = await signedIn(world, fan)
      const { id } = expectStatus(201, await start(again, packId))
      ids.push(expectStatus(200, await complete(again, id)).userPack.id)
      world.clock.set(-HOUR)
    }
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const path = `/api/user/packs?limit=2${cursor && `&cursor=${cursor}`}`
      const page: { packs: { id: string }[]; nextCursor: string | null } = expectStatus(
        200,
        await (await signedIn(world, fan)).get(path),
      )
      seen.push(...page.packs.map(({ id }) => id))
      cursor = page.nextCursor
      world.clock.set(-HOUR)
    }
    expect(seen.toSorted()).toEqual(ids.toSorted())
  })

  test('back: a session token from the future is refused, except within the clock tolerance', async () => {
    const [near, far] = [await patientFan(world), await patientFan(world)]
    world.clock.set(-30 * SECOND)
    expect((await near.get('/api/user/points')).status).toBe(200)
    world.clock.set(-SECOND)
    expect(refusal(await far.get('/api/user/points'))).toEqual([401, 'invalid_token'])
    // Verified before, it is not verified again.
    expect((await near.get('/api/user/points')).status).toBe(200)
    world.clock.set(31 * SECOND)
    expect((await far.get('/api/user/points')).status).toBe(200)
  })

  test('back: a native token stays valid, and does not outlive its session', async () => {
    const fan = await patientFan(world)
    const { token, expiresIn } = expectStatus(200, await fan.post('/api/auth/native-token', {}))
    const native = world.withToken(token)
    world.clock.set(-HOUR)
    expect((await native.get('/api/user/points')).status).toBe(200)
    world.clock.set(HOUR)
    world.clock.advance(expiresIn * SECOND + 6 * SECOND)
    expect(refusal(await native.get('/api/user/points'))).toEqual([401, 'invalid_token'])
  })

  test('back: the previous refresh token is accepted until its successor has been used', async () => {
    const refresh = (refreshToken: string) =>
      world.anonymous.post('/api/auth/native-token/refresh', { refreshToken })
    for (const by of [-SECOND, -HOUR]) {
      const fan = await patientFan(world)
      const { refreshToken } = expectStatus(200, await fan.post('/api/auth/native-token', {}))
      expectStatus(200, await refresh(refreshToken))
      world.clock.set(by)
      const { refreshToken: next } = expectStatus(200, await refresh(refreshToken))
      expectStatus(200, await refresh(next))
      expect([by, (await refresh(refreshToken)).status]).toEqual([by, 401])
    }
  })

  test('back: a new key of the provider is fetched without delay', async () => {
    const rotate = () => world.idp.handle(new Request(`${ISSUER}/_mock/keys/rotate`, { method: 'POST' }))
    const fan = await patientFan(world)
    for (const by of [0, -HOUR, -DAY]) {
      world.clock.set(by)
      world.clock.advance(FETCH_COOLDOWN_MS)
      await rotate()
      expect([by, (await (await signedIn(world, fan)).get('/api/user/points')).status]).toEqual([by, 200])
    }
  })
})

// In a world of its own: while the clock is back, the hold that ended counts as one again.
onEachEngine('A clock that is set ahead and back', world => {
  test('expires a hold, which is then completed or sold to another fan, never both', async () => {
    const [first, second] = [await patientFan(world, 500), await patientFan(world, 500)]
    const packId = await addPack(world, { supply: 1 })
    const held = expectStatus(201, await start(first, packId))
    world.clock.set(HOUR)
    const taken = expectStatus(201, await start(second, packId))
    expectStatus(200, await complete(second, taken.id))
    world.clock.set(-HOUR)
    expect(await remaining(world, packId)).toBe(0)
    expect(refusal(await complete(first, held.id))).toEqual([409, 'sold_out'])
    world.clock.set(HOUR)
    expect(await faultsOf(world)).toEqual([])
  })
})

onEachEngine(
  'Limits when the clock is set',
  world => {
    test('setting it forward or backward does not change the minute of a limit', async () => {
      const fan = await patientFan(world)
      const claim = async () => {
        const { status, headers } = await (await signedIn(world, fan)).post('/api/rewards/claim', {
          rewardId: 'none',
        })
        return [status, headers.get('retry-after')]
      }
      expect([await claim(), await claim()]).toEqual([
        [404, null],
        [404, null],
      ])
      for (const by of [-DAY, 2 * DAY, -HOUR]) {
        world.clock.set(by)
        expect([by, ...(await claim())]).toEqual([by, 429, '60'])
      }
      world.clock.advance(59_000)
      expect(await claim()).toEqual([429, '1'])
      world.clock.advance(SECOND)
      expect((await claim())[0]).toBe(404)
    })
  },
  { env: { RATE_LIMITS: 'claims=2' } },
)
