/** Idempotency-Key: what is asked again under one key is answered again, and happens once. */
import { expect, test } from 'bun:test'
import { type Database, DatabaseError } from '../../../db/index.ts'
import { createApp } from '../../../src/app/app.ts'
import {
  addPack,
  buyWithMoney,
  complete,
  EUROS,
  HOLD,
  patientFan,
  purchaseRows,
  receipt,
  refusal,
  start,
  userIdOf,
} from '../../play/packs/packs-world.ts'
import type { Answer } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'

const PURCHASE = '/api/packs/purchase'
const under = (key: string) => ({ 'idempotency-key': key })
const isReplayed = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'

onEachEngine('Idempotency-Key', world => {
  const keptKeys = () => world.db.read.select().from(world.db.tables.idempotencyKeys)

  test('a repeat returns the first response with its status, and has no further effect', async () => {
    const fan = await patientFan(world, 100)
    const packId = await addPack(world)
    const first = await fan.post(PURCHASE, { packId }, under('one'))
    expect([first.status, isReplayed(first)]).toEqual([201, false])
    world.clock.advance(HOLD)
    for (let n = 0; n < 3; n++) {
      const again = await fan.post(PURCHASE, { packId }, under('one'))
      expect([again.status, isReplayed(again)]).toEqual([201, true])
      expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
    }
    expect(await purchaseRows(world, packId)).toHaveLength(1)
  })

  test('the stored response and the effect are one unit of work: both are committed or neither', async () => {
    const fan = await patientFan(world, 100)
    const packId = await addPack(world)
    let units = 0
    let isFull = true
    const write: Database['write'] = work => {
      units++
      return world.db.write(async tx => {
        const value = await work(tx)
        if (isFull) throw new DatabaseError('full')
        return value
      })
    }
    const app = createApp({ ...world.deps, db: { ...world.db, write } })
    const ask = () =>
      app.handle(
        new Request(`http://localhost${PURCHASE}`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${fan.token}`,
            'content-type': 'application/json',
            ...under('unit'),
          },
          body: JSON.stringify({ packId }),
        }),
      )
    const traces = async () => [
      (await purchaseRows(world, packId)).length,
      (await keptKeys()).filter(({ key }) => key === 'unit').length,
    ]
    expect([(await ask()).status, units, await traces()]).toEqual([507, 1, [0, 0]])
    isFull = false
    expect([(await ask()).status, units, await traces()]).toEqual([201, 2, [1, 1]])
    // A replay writes nothing. Its unit of work waits until the answer is durable.
    expect([(await ask()).status, units, await traces()]).toEqual([201, 3, [1, 1]])
  })

  test('without a key a repeat is another request', async () => {
    const fan = await patientFan(world, 200)
    const packId = await addPack(world)
    for (let n = 0; n < 2; n++) expect(isReplayed(await start(fan, packId))).toBe(false)
    expect(await purchaseRows(world, packId)).toHaveLength(2)
  })

  test('the same key of another fan, or for another operation, is another key', async () => {
    const [one, other] = [await patientFan(world, 100), await patientFan(world, 100)]
    const packId = await addPack(world)
    const answers = [
      await one.post(PURCHASE, { packId }, under('shared')),
      await other.post(PURCHASE, { packId }, under('shared')),
      await one.post('/api/user/profile', { bio: 'x' }, under('shared')),
      await one.patch('/api/user/profile', { bio: 'x' }, under('shared')),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 200])
    expect(answers.some(isReplayed)).toBe(false)
    const owners = (await purchaseRows(world, packId)).map(({ userId }) => userId)
    const expected = [await userIdOf(world, one), await userIdOf(world, other)].map(String)
    expect(owners.toSorted()).toEqual(expected.toSorted())
  })

  test('the same key is recognized with any token of the fan', async () => {
    const fan = await patientFan(world, 100)
    const packId = await addPack(world)
    const first = await fan.post(PURCHASE, { packId }, under('two tokens'))
    const { token } = (await fan.post('/api/auth/native-token')).body
    const again = await world.withToken(token).post(PURCHASE, { packId }, under('two tokens'))
    expect([isReplayed(again), again.body]).toEqual([true, first.body])
  })

  test('the same key with another body is 422, and writes nothing; the order of members does not matter', async () => {
    const fan = await patientFan(world)
    const body = { bio: 'North stand', country: 'GB' }
    await fan.post('/api/user/profile', body, under('body'))
    const other = await fan.post('/api/user/profile', { bio: 'South stand', country: 'GB' }, under('body'))
    expect(refusal(other)).toEqual([422, 'idempotency_key_reused'])
    expect((await fan.get('/api/user/profile')).body.bio).toBe('North stand')
    const reordered = await fan.post(
      '/api/user/profile',
      { country: 'GB', bio: 'North stand' },
      under('body'),
    )
    expect([reordered.status, isReplayed(reordered)]).toEqual([201, true])
  })

  test('a refusal by validation or a rule is not stored: the key can be used again', async () => {
    const fan = await patientFan(world)
    const rewardId = await world.reward({ pointsRequired: 50 })
    const claim = (body: unknown) => fan.post('/api/rewards/claim', body, under('better'))
    expect(refusal(await claim({ reward: rewardId }))).toEqual([422, 'validation_failed'])
    expect(refusal(await claim({ rewardId }))).toEqual([409, 'insufficient_points'])
    await world.grant(fan, 50)
    expect((await claim({ rewardId })).status).toBe(200)
    const again = await claim({ rewardId })
    expect([again.status, isReplayed(again)]).toEqual([200, true])
  })

  test('a refusal that writes is committed, its response is not stored, and a repeat is refused again', async () => {
    const [late, quick] = [await patientFan(world), await patientFan(world)]
    const packId = await addPack(world, { price: EUROS, supply: 1 })
    const purchaseId = (await start(late, packId)).body.id
    const paymentReference = await receipt(late, purchaseId)
    world.clock.advance(HOLD)
    await buyWithMoney(quick, packId)
    for (let n = 0; n < 2; n++) {
      const answer = await late.put(PURCHASE, { purchaseId, paymentReference }, under('too late'))
      expect([...refusal(answer), isReplayed(answer)]).toEqual([409, 'purchase_expired', false])
    }
    const [row] = (await purchaseRows(world, packId)).filter(({ id }) => id === purchaseId)
    expect(row?.status).toBe('refund_due')
    expect((await keptKeys()).filter(({ key }) => key === 'too late')).toEqual([])
  })

  test('a key that is empty, too long or not printable ASCII is 400, before the body is validated', async () => {
    const fan = await patientFan(world)
    for (const key of ['', 'k'.repeat(256), 'clé', 'a\tb', '\x7f']) {
      const answer = await fan.patch('/api/user/profile', { points: 5 }, under(key))
      expect([key, ...refusal(answer)]).toEqual([key, 400, 'malformed_request'])
      expect(answer.body.errors[0].header).toBe('Idempotency-Key')
    }
    for (const key of ['k', 'k'.repeat(255), 'a key,with "all" of ~!', ',']) {
      expect((await fan.post('/api/user/profile', {}, under(key))).status).toBeLessThan(300)
    }
    expect((await world.anonymous.post('/api/user/profile', {}, under(''))).status).toBe(401)
    expect((await fan.get('/api/user/profile', under(''))).status).toBe(200)
  })

  test('a stored response is replayed without a request to the provider or the payment gateway', async () => {
    const fan = await patientFan(world)
    const synced = await fan.post('/api/user/sync-mock-idp', {}, under('sync'))
    expect(synced.status).toBe(200)
    const readUserData = () => Promise.reject(new Error('asked again'))
    const app = createApp({ ...world.deps, identity: { ...world.deps.identity, readUserData } })
    const headers = { authorization: `Bearer ${fan.token}`, ...under('sync') }
    const request = new Request('http://localhost/api/user/sync-mock-idp', { method: 'POST', headers })
    const again = await app.handle(request)
    expect([again.status, await again.json()]).toEqual([200, synced.body])

    const packId = await addPack(world, { price: EUROS })
    const purchaseId = (await start(fan, packId)).body.id
    const paymentReference = await receipt(fan, purchaseId)
    const body = { purchaseId, paymentReference }
    const paid = await fan.put(PURCHASE, body, under('pay'))
    expect(paid.status).toBe(200)
    const repeated = await fan.put(PURCHASE, body, under('pay'))
    expect([isReplayed(repeated), repeated.body]).toEqual([true, paid.body])
    expect((await complete(fan, purchaseId)).body).toEqual(paid.body)
  })

  test('a repeat while the first still runs is 409 with Retry-After, and another body then is 422', async () => {
    const fan = await patientFan(world)
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const { identity } = world.deps
    const readUserData: typeof identity.readUserData = async (token, subject) => {
      asked.resolve()
      await answered.promise
      return identity.readUserData(token, subject)
    }
    const app = createApp({ ...world.deps, identity: { ...identity, readUserData } })
    const onboard = async (body: unknown) => {
      const headers = { authorization: `Bearer ${fan.token}`, 'content-type': 'application/json' }
      const response = await app.handle(
        new Request('http://localhost/api/user/onboarding', {
          method: 'POST',
          headers: { ...headers, ...under('slow') },
          body: JSON.stringify(body),
        }),
      )
      return { status: response.status, headers: response.headers, body: await response.json() } as Answer
    }
    const first = onboard({})
    await asked.promise
    const second = await onboard({})
    expect(refusal(second)).toEqual([409, 'idempotency_in_progress'])
    expect(second.headers.get('retry-after')).toBe('1')
    expect(refusal(await onboard({ joinLeaderboard: false }))).toEqual([422, 'idempotency_key_reused'])
    answered.resolve()
    const { status, body } = await first
    expect(status).toBe(200)
    const third = await onboard({})
    // Not `alreadyCompleted`: it is the first answer.
    expect([isReplayed(third), third.body]).toEqual([true, body])
  })
})
