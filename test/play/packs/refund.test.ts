import { expect, test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'
import {
  addPack,
  balanceOf,
  buy,
  buyWithMoney,
  complete,
  EUROS,
  entriesOf,
  FREE,
  HOLD,
  open,
  patientFan,
  purchaseRows,
  receipt,
  refusal,
  remaining,
  start,
} from './packs-world.ts'
import { refundPack } from './refund-pack.ts'

onEachEngine('Refunding a purchase', world => {
  const refund = (purchaseId: string) => world.db.write(tx => refundPack(tx, purchaseId))
  const codeOf = (work: Promise<unknown>) => work.then(String, error => error.code)

  test('a sealed pack: points and supply are returned, and the pack is revoked', async () => {
    const fan = await patientFan(world, 150)
    const packId = await addPack(world, { supply: 5 })
    const { id, userPack } = await buy(fan, packId)
    const price = { amount: 100, currency: 'POINTS' }
    expect(await refund(id)).toEqual({ purchaseId: id, price, supplyReturned: true })

    expect(await balanceOf(fan)).toEqual({ balance: 150, lifetime: 150 })
    expect(await entriesOf(fan, 'pack_refund')).toMatchObject([{ delta: 100, ref: id }])
    expect(await remaining(world, packId)).toBe(5)
    const { packs } = (await fan.get('/api/user/packs')).body
    expect(packs).toEqual([{ ...userPack, state: 'revoked' }])
    expect(await purchaseRows(world, packId)).toMatchObject([
      { status: 'refunded', refundedAt: new Date(world.clock.ms) },
    ])
    const again = await complete(fan, id)
    expect([again.status, again.body.status, again.body.userPack.state]).toEqual([200, 'refunded', 'revoked'])
    expect((await balanceOf(fan)).balance).toBe(150)
  })

  test('an opened pack: points are returned, supply is not, and the fan keeps the items', async () => {
    const fan = await patientFan(world, 100)
    const packId = await addPack(world, { supply: 5 })
    const { id, userPack } = await buy(fan, packId)
    const opened = await open(fan, userPack.id)
    expect(await refund(id)).toMatchObject({ supplyReturned: false })

    expect(await balanceOf(fan)).toEqual({ balance: 100, lifetime: 100 })
    expect(await remaining(world, packId)).toBe(4)
    expect((await open(fan, userPack.id)).body).toEqual(opened.body)
    expect((await world.anonymous.get(`/api/packs/proofs/${userPack.id}`)).status).toBe(200)
  })

  test('returned supply can be sold again', async () => {
    const [first, second] = [await patientFan(world, 100), await patientFan(world, 100)]
    const packId = await addPack(world, { supply: 1 })
    const { id } = await buy(first, packId)
    expect(refusal(await start(second, packId))).toEqual([409, 'sold_out'])
    await refund(id)
    expect((await buy(second, packId)).status).toBe('completed')
    expect(await remaining(world, packId)).toBe(0)
  })

  test('a free pack and a price in money book no points', async () => {
    const fan = await patientFan(world)
    const free = await buy(fan, await addPack(world, { price: FREE }))
    const paid = await buyWithMoney(fan, await addPack(world, { price: EUROS }))
    expect(await refund(free.id)).toMatchObject({ price: FREE, supplyReturned: true })
    expect(await refund(paid.id)).toMatchObject({ price: EUROS, supplyReturned: true })
    expect((await fan.get('/api/user/points')).body.entries).toEqual([])
  })

  test('refund_due: refunded, without supply to return', async () => {
    const [late, quick] = [await patientFan(world), await patientFan(world)]
    const packId = await addPack(world, { price: EUROS, supply: 1 })
    const { body: started } = await start(late, packId)
    const reference = await receipt(late, started.id)
    world.clock.advance(HOLD)
    await buyWithMoney(quick, packId)
    await complete(late, started.id, reference)
    expect(await refund(started.id)).toEqual({
      purchaseId: started.id,
      price: EUROS,
      supplyReturned: false,
    })
    expect(await remaining(world, packId)).toBe(0)
    const answer = await complete(late, started.id, reference)
    expect([answer.status, answer.body.status, answer.body.userPack]).toEqual([200, 'refunded', null])
    expect(await codeOf(refund(started.id))).toBe('not_refundable')
  })

  test('refuses a pending, expired or refunded purchase as not_refundable, and an unknown one as purchase_not_found', async () => {
    const fan = await patientFan(world, 100)
    const { body: pending } = await start(fan, await addPack(world, { price: EUROS }))
    expect(await codeOf(refund(pending.id))).toBe('not_refundable')
    world.clock.advance(HOLD)
    expect(await codeOf(refund(pending.id))).toBe('not_refundable')
    const { id } = await buy(fan, await addPack(world))
    await refund(id)
    expect(await codeOf(refund(id))).toBe('not_refundable')
    expect(await codeOf(refund('no-such-purchase'))).toBe('purchase_not_found')
    expect((await balanceOf(fan)).balance).toBe(100)
  })

  test('of ten concurrent refunds one succeeds', async () => {
    const fan = await patientFan(world, 100)
    const packId = await addPack(world, { supply: 5 })
    const { id } = await buy(fan, packId)
    const codes = await Promise.all(Array.from({ length: 10 }, () => codeOf(refund(id))))
    expect(codes.filter(code => code === 'not_refundable')).toHaveLength(9)
    expect(await entriesOf(fan, 'pack_refund')).toHaveLength(1)
    expect(await balanceOf(fan)).toEqual({ balance: 100, lifetime: 100 })
    expect(await remaining(world, packId)).toBe(5)
  })

  test('a concurrent refund and opening agree on whether the pack was opened', async () => {
    const fan = await patientFan(world, 100)
    for (let n = 0; n < 10; n++) {
      const packId = await addPack(world, { supply: 1 })
      const { id, userPack } = await buy(fan, packId)
      // Whichever is asked for first.
      const early = n % 2 === 0 ? open(fan, userPack.id) : undefined
      const refunding = refund(id)
      const [opened, refunded] = await Promise.all([early ?? open(fan, userPack.id), refunding])
      expect(refunded).toMatchObject({ supplyReturned: opened.status === 404 })
      expect(await remaining(world, packId)).toBe(opened.status === 404 ? 1 : 0)
      expect((await balanceOf(fan)).balance).toBe(100)
    }
  })
})
