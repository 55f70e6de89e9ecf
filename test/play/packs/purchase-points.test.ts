import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { onEachEngine } from '../../support/world.ts'
import {
  addPack,
  balanceOf,
  buy,
  complete,
  entriesOf,
  FREE,
  HOLD,
  patientFan,
  purchaseRows,
  refusal,
  remaining,
  start,
} from './packs-world.ts'

onEachEngine('PUT /api/packs/purchase with points', world => {
  test('debits the ledger and hands over a sealed pack', async () => {
    const fan = await patientFan(world, 150)
    const packId = await addPack(world, { supply: 5 })
    const { body: started } = await start(fan, packId)
    world.clock.advance(60_000)
    const { status, body } = await complete(fan, started.id)
    expect(status).toBe(200)
    const completedAt = new Date(world.clock.ms).toISOString()
    expect(body).toEqual({
      ...started,
      status: 'completed',
      completedAt,
      userPack: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        packId,
        purchaseId: started.id,
        state: 'sealed',
        seedHash: started.seedHash,
        createdAt: completedAt,
        openedAt: null,
      },
    })
    expect(await entriesOf(fan, 'pack_purchase')).toMatchObject([
      { delta: -100, ref: started.id, balanceAfter: 50 } as object,
    ])
    expect(await remaining(world, packId)).toBe(4)
  })

  test('spending lowers the balance and leaves lifetime points as they were', async () => {
    const fan = await patientFan(world, 150)
    await buy(fan, await addPack(world))
    expect(await balanceOf(fan)).toEqual({ balance: 50, lifetime: 150 })
  })

  test('a repeat returns the same and books nothing more, also after the end of the hold', async () => {
    const fan = await patientFan(world, 500)
    const packId = await addPack(world, { supply: 5 })
    const first = await buy(fan, packId)
    for (const pause of [0, HOLD, HOLD]) {
      world.clock.advance(pause)
      const again = await complete(fan, first.id)
      expect([again.status, again.body]).toEqual([200, first])
    }
    expect(await entriesOf(fan, 'pack_purchase')).toHaveLength(1)
    expect(await remaining(world, packId)).toBe(4)
  })

  test('20 concurrent completions all return one pack, and one entry is booked', async () => {
    const fan = await patientFan(world, 5000)
    const packId = await addPack(world, { supply: 5 })
    const { body: started } = await start(fan, packId)
    const answers = await Promise.all(Array.from({ length: 20 }, () => complete(fan, started.id)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.userPack.id)).size).toBe(1)
    expect(await balanceOf(fan)).toEqual({ balance: 4900, lifetime: 5000 })
    expect(await remaining(world, packId)).toBe(4)
  })

  test('points that are spent before the completion: 409 insufficient_points, still pending, and payable later', async () => {
    const fan = await patientFan(world, 100)
    const packId = await addPack(world, { supply: 5 })
    const { body: started } = await start(fan, packId)
    await world.grant(fan, -40)
    const { status, body } = await complete(fan, started.id)
    expect(status).toBe(409)
    expect(body).toMatchObject({
      code: 'insufficient_points',
      pointsRequired: 100,
      points: 60,
      missingPoints: 40,
    })
    expect(await purchaseRows(world, packId)).toMatchObject([{ status: 'pending', completedAt: null }])
    expect(await entriesOf(fan, 'pack_purchase')).toEqual([])
    expect(await remaining(world, packId)).toBe(4)

    await world.grant(fan, 40)
    expect((await complete(fan, started.id)).body.status).toBe('completed')
    expect(await remaining(world, packId)).toBe(4)
  })

  test('with points for one, one of two concurrent purchases gets them', async () => {
    const fan = await patientFan(world, 100)
    const packIds = [await addPack(world), await addPack(world)]
    const started = await Promise.all(packIds.map(packId => start(fan, packId)))
    expect(started.map(({ status }) => status).toSorted()).toEqual([201, 409])
    expect(started.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'insufficient_points',
      points: 0,
      missingPoints: 100,
    })
  })

  test('with points for one left of two that are held, one of two concurrent completions succeeds', async () => {
    const fan = await patientFan(world, 200)
    const packIds = [await addPack(world), await addPack(world)]
    const started = await Promise.all(packIds.map(packId => start(fan, packId)))
    await world.grant(fan, -100)
    const answers = await Promise.all(started.map(({ body }) => complete(fan, body.id)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('insufficient_points')
    expect((await balanceOf(fan)).balance).toBe(0)
  })

  test('holds to the last millisecond, and from expiresAt on refuses with 409 purchase_expired', async () => {
    const fan = await patientFan(world, 1000)
    const packId = await addPack(world, { supply: 5 })
    const [intime, late] = [(await start(fan, packId)).body, (await start(fan, packId)).body]
    world.clock.advance(HOLD - 1)
    expect((await complete(fan, intime.id)).status).toBe(200)
    world.clock.advance(1)
    expect(refusal(await complete(fan, late.id))).toEqual([409, 'purchase_expired'])
    expect(await balanceOf(fan)).toEqual({ balance: 900, lifetime: 1000 })
    expect(await remaining(world, packId)).toBe(4)
  })

  test('an unknown purchase and a purchase of another fan are both 404 purchase_not_found', async () => {
    const [owner, other] = [await patientFan(world, 100), await patientFan(world, 100)]
    const { body: started } = await start(owner, await addPack(world))
    const answers = [
      await complete(other, started.id),
      await complete(other, 'no-such-purchase'),
      await complete(await patientFan(world), started.id),
    ]
    expect(answers.map(refusal)).toEqual(Array(3).fill([404, 'purchase_not_found']))
    expect(answers[0]?.body.detail).toBe(answers[1]?.body.detail)
    expect((await balanceOf(other)).balance).toBe(100)
    expect((await complete(owner, started.id)).status).toBe(200)
  })

  test('a price of zero books nothing', async () => {
    const fan = await patientFan(world)
    const bought = await buy(fan, await addPack(world, { price: FREE }))
    expect([bought.status, bought.userPack.state]).toEqual(['completed', 'sealed'])
    expect((await fan.get('/api/user/points')).body).toMatchObject({ balance: 0, lifetime: 0, entries: [] })
  })

  test('refuses bodies that break the schema with 422 and says where', async () => {
    const fan = await patientFan(world)
    for (const [body, pointer] of [
      [{}, '/purchaseId'],
      [{ purchaseId: 1 }, '/purchaseId'],
      [{ purchaseId: 'a', paymentReference: '' }, '/paymentReference'],
      [{ purchaseId: 'a', userId: 'b' }, '/userId'],
    ] as const) {
      const answer = await fan.put('/api/packs/purchase', body)
      expect([answer.status, answer.body.errors?.[0].pointer]).toEqual([422, pointer])
    }
  })

  test('a hold beyond a reduced supply is refused as sold out, and nothing is booked', async () => {
    const fan = await patientFan(world, 300)
    const packId = await addPack(world, { supply: 2 })
    await buy(fan, packId)
    const { body: held } = await start(fan, packId)
    await world.db.write(tx => {
      const { packs } = tx.tables
      return tx.update(packs).set({ supplyTotal: 1 }).where(eq(packs.id, packId))
    })
    expect(refusal(await complete(fan, held.id))).toEqual([409, 'sold_out'])
    expect((await balanceOf(fan)).balance).toBe(200)
    expect(await remaining(world, packId)).toBe(0)
  })
})
