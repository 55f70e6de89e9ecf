import { describe, expect, test } from 'bun:test'
import { PURCHASE_KINDS } from '../../../src/operate/admin/refunds/refund-purchase.ts'
import { defaultSettings } from '../../../src/platform/config/settings.ts'
import { cancelPurchase, completePurchase } from '../../../src/play/packs/pay.ts'
import { onEachEngine } from '../../support/world.ts'
import { writerOf } from '../../support/writer.ts'
import {
  addPack,
  buy,
  cancel,
  checkSupply,
  complete,
  EUROS,
  expectStatus,
  FREE,
  HOLD,
  patientFan,
  receipt,
  refusal,
  remaining,
  start,
} from './packs-world.ts'

const UNKNOWN = '01981e2c-7c1f-7000-8000-0000000000ff'

onEachEngine('GET /api/packs/purchases', world => {
  test('returns an empty list for a fan without a record', async () => {
    const { status, body } = await (await patientFan(world)).get('/api/packs/purchases')
    expect([status, body]).toEqual([200, { purchases: [], nextCursor: null }])
  })

  test('lists purchases of every status, newest first, each with its pack', async () => {
    const fan = await patientFan(world)
    const packId = await addPack(world, { price: FREE })
    const expired = expectStatus(201, await start(fan, packId))
    world.clock.advance(HOLD)
    const completed = await buy(fan, packId)
    const cancelled = expectStatus(201, await start(fan, packId))
    await cancel(fan, cancelled.id)
    const pending = expectStatus(201, await start(fan, packId))
    const { body } = await fan.get('/api/packs/purchases')
    expect(body).toEqual({
      purchases: [
        pending,
        { ...cancelled, status: 'cancelled' },
        completed,
        { ...expired, status: 'expired' },
      ],
      nextCursor: null,
    })
  })

  test('pages through each purchase once', async () => {
    const fan = await patientFan(world)
    const packId = await addPack(world, { price: FREE })
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift((await buy(fan, packId)).id)
    const pages: string[][] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await fan.get(`/api/packs/purchases?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      pages.push(body.purchases.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor
    }
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])
  })

  test('shows no purchases of another fan, and refuses another fan’s cursors', async () => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    const packId = await addPack(world, { price: FREE })
    for (const each of [fan, fan, other]) await buy(each, packId)
    expect((await other.get('/api/packs/purchases')).body.purchases).toHaveLength(1)
    const { nextCursor } = (await fan.get('/api/packs/purchases?limit=1')).body
    expect(refusal(await other.get(`/api/packs/purchases?cursor=${nextCursor}`))).toEqual([
      400,
      'invalid_cursor',
    ])
  })

  test('asks an anonymous caller to sign in', async () => {
    expect(refusal(await world.anonymous.get('/api/packs/purchases'))).toEqual([401, 'unauthenticated'])
  })
})

onEachEngine('GET /api/packs/purchases/{purchaseId}', world => {
  test('returns the purchase as the completion did', async () => {
    const fan = await patientFan(world)
    const purchase = await buy(fan, await addPack(world, { price: FREE }))
    expect((await fan.get(`/api/packs/purchases/${purchase.id}`)).body).toEqual(purchase)
  })

  test('404 purchase_not_found: unknown, another fan’s, or of a fan without a record', async () => {
    const [fan, other, newcomer] = [await patientFan(world), await patientFan(world), await patientFan(world)]
    const packId = await addPack(world, { price: FREE })
    const { id } = await buy(fan, packId)
    await buy(other, packId)
    for (const [client, purchaseId] of [
      [fan, UNKNOWN],
      [other, id],
      [newcomer, id],
    ] as const) {
      const answer = await client.get(`/api/packs/purchases/${purchaseId}`)
      expect(refusal(answer)).toEqual([404, 'purchase_not_found'])
    }
  })

  test('asks an anonymous caller to sign in', async () => {
    const answer = await world.anonymous.get(`/api/packs/purchases/${UNKNOWN}`)
    expect(refusal(answer)).toEqual([401, 'unauthenticated'])
  })
})

onEachEngine('POST /api/packs/purchases/{purchaseId}/cancel', world => {
  test('returns the supply at once, and a repeat gets the same response', async () => {
    const fan = await patientFan(world)
    const packId = await addPack(world, { price: FREE, supply: 1 })
    const purchase = expectStatus(201, await start(fan, packId))
    expect(refusal(await start(await patientFan(world), packId))).toEqual([409, 'sold_out'])
    expect(await remaining(world, packId)).toBe(0)
    const first = await cancel(fan, purchase.id)
    expect([first.status, first.body]).toEqual([200, { ...purchase, status: 'cancelled' }])
    expect(await remaining(world, packId)).toBe(1)
    world.clock.advance(HOLD)
    const again = await cancel(fan, purchase.id)
    expect([again.status, again.body]).toEqual([200, first.body])
    await buy(await patientFan(world), packId)
    await checkSupply(world, packId, world.clock.now())
  })

  test('replays its response under an Idempotency-Key, and refuses the key for another purchase', async () => {
    const fan = await patientFan(world)
    const packId = await addPack(world, { price: FREE })
    const [one, two] = [(await start(fan, packId)).body, (await start(fan, packId)).body]
    const key = { 'idempotency-key': 'cancel-1' }
    expect((await cancel(fan, one.id, key)).status).toBe(200)
    expect((await cancel(fan, one.id, key)).headers.get('idempotent-replayed')).toBe('true')
    expect(refusal(await cancel(fan, two.id, key))).toEqual([422, 'idempotency_key_reused'])
  })

  test('frees the fan’s own hold, so that another purchase can be started', async () => {
    const fan = await patientFan(world)
    const packId = await addPack(world, { price: FREE })
    const held: string[] = []
    for (let n = 0; n < defaultSettings.packHoldsPerFan; n++) held.push((await start(fan, packId)).body.id)
    expect(refusal(await start(fan, packId))).toEqual([409, 'too_many_holds'])
    expectStatus(200, await cancel(fan, held[0] ?? ''))
    expect((await start(fan, packId)).status).toBe(201)
  })

  test('404 purchase_not_found: unknown, another fan’s, or of a fan without a record', async () => {
    const [fan, other, newcomer] = [await patientFan(world), await patientFan(world), await patientFan(world)]
    const packId = await addPack(world, { price: FREE })
    const { id } = expectStatus(201, await start(fan, packId))
    await buy(other, packId)
    for (const [client, purchaseId] of [
      [fan, UNKNOWN],
      [other, id],
      [newcomer, id],
    ] as const)
      expect(refusal(await cancel(client, purchaseId))).toEqual([404, 'purchase_not_found'])
    expect((await fan.get(`/api/packs/purchases/${id}`)).body.status).toBe('pending')
  })

  test('409 purchase_not_pending: completed, or expired', async () => {
    const fan = await patientFan(world)
    const packId = await addPack(world, { price: FREE })
    const completed = await buy(fan, packId)
    const answer = await cancel(fan, completed.id)
    expect([...refusal(answer), answer.body.detail]).toEqual([
      409,
      'purchase_not_pending',
      'The purchase is completed.',
    ])
    const { id } = expectStatus(201, await start(fan, packId))
    world.clock.advance(HOLD)
    expect(refusal(await cancel(fan, id))).toEqual([409, 'purchase_not_pending'])
  })

  test('asks an anonymous caller to sign in', async () => {
    expect(refusal(await cancel(world.anonymous, UNKNOWN))).toEqual([401, 'unauthenticated'])
  })

  describe('of a purchase that is then completed', () => {
    test('with points: 409 purchase_not_pending, and nothing is booked', async () => {
      const fan = await patientFan(world, 100)
      const { id } = expectStatus(201, await start(fan, await addPack(world)))
      await cancel(fan, id)
      expect(refusal(await complete(fan, id))).toEqual([409, 'purchase_not_pending'])
      expect((await fan.get('/api/user/points')).body.balance).toBe(100)
    })

    test('with money that was paid: 409 purchase_not_pending, and the refund is due', async () => {
      const fan = await patientFan(world)
      const packId = await addPack(world, { price: EUROS, supply: 5 })
      const { id } = expectStatus(201, await start(fan, packId))
      const paid = await receipt(fan, id)
      await cancel(fan, id)
      expect(refusal(await complete(fan, id, paid))).toEqual([409, 'purchase_not_pending'])
      expect((await fan.get(`/api/packs/purchases/${id}`)).body).toMatchObject({
        status: 'refund_due',
        userPack: null,
      })
      expect(refusal(await cancel(fan, id))).toEqual([409, 'purchase_not_pending'])
      expect(await remaining(world, packId)).toBe(5)
    })

    test('with money that was not paid, or to be paid: 409 purchase_not_pending', async () => {
      const fan = await patientFan(world)
      const { id } = expectStatus(201, await start(fan, await addPack(world, { price: EUROS })))
      const unpaid = await receipt(fan, id, 'unpaid')
      await cancel(fan, id)
      expect(refusal(await complete(fan, id, unpaid))).toEqual([409, 'purchase_not_pending'])
      const prepared = await fan.post('/api/packs/purchase/payment', { purchaseId: id })
      expect(refusal(prepared)).toEqual([409, 'purchase_not_pending'])
    })
  })

  test('at the same time as completing: one of them wins, and points and supply agree', async () => {
    for (let round = 0; round < 6; round++) {
      const fan = await patientFan(world, 100)
      const packId = await addPack(world, { supply: 1 })
      const { id } = expectStatus(201, await start(fan, packId))
      const caller = { provider: world.config.identity.name, subject: fan.subject }
      const completing = () => world.db.write(tx => completePurchase(tx, PURCHASE_KINDS, id, { kind: 'own' }))
      const cancelling = () => world.db.write(async tx => cancelPurchase(tx, await writerOf(tx, caller), id))
      const [first, second] = round % 2 === 0 ? [completing, cancelling] : [cancelling, completing]
      const settled = await Promise.allSettled([first(), second(), first()])
      const { status } = (await fan.get(`/api/packs/purchases/${id}`)).body
      for (const result of settled.filter(({ status }) => status === 'rejected'))
        expect(result).toMatchObject({ reason: { code: 'purchase_not_pending' } })
      expect(['completed', 'cancelled']).toContain(status)
      const { balance } = (await fan.get('/api/user/points')).body
      expect(balance).toBe(status === 'completed' ? 0 : 100)
      expect(await remaining(world, packId)).toBe(status === 'completed' ? 0 : 1)
      await checkSupply(world, packId, world.clock.now())
    }
  })
})
