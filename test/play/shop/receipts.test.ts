/** Receipts of orders: taxes by product and country, a series without gaps, and credit notes. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { taxIn, taxMillionthsFor } from '../../../src/play/purchases/tax-rate.ts'
import { onEachEngine } from '../../support/world.ts'
import {
  addPack,
  balanceOf,
  buyWithMoney as buyPack,
  expectStatus,
  patientFan,
} from '../packs/packs-world.ts'
import { refundPack } from '../packs/refund-pack.ts'
import { ADDRESS, addStock, buyWithMoney, checkout, completeOrder, pay } from './orders-world.ts'
import { addProduct, entryOf } from './products-world.ts'
import { numbersOf, receiptsOf } from './receipts-world.ts'
import { expectSound, payOut, withdraw } from './withdrawals-world.ts'

const EUROS = (amount: number) => ({ amount, currency: 'EUR' })

test('the tax in an amount is half up, exact for large amounts, and never more than the amount', () => {
  expect(taxIn(12_100, 210_000)).toBe(2_100)
  // 3 × 0.2 / 1.2 is exactly a half.
  expect(taxIn(3, 200_000)).toBe(1)
  expect(taxIn(1_900, 230_000)).toBe(355)
  expect(taxIn(Number.MAX_SAFE_INTEGER, 1_000_000)).toBe(4_503_599_627_370_496)
  expect(taxIn(100, 0)).toBe(0)
  expect(taxIn(100, null)).toBe(0)
})

test('the taxes of parts add up to that of the whole, and no part has more tax than it costs', () => {
  const amounts = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(amounts, fc.integer({ min: 0, max: 1_000_000 }), (parts, rate) => {
      let [sum, taxes] = [0, 0]
      for (const part of parts) {
        const tax = taxIn(sum + part, rate) - taxIn(sum, rate)
        expect(tax >= 0 && tax <= part).toBe(true)
        sum += part
        taxes += tax
      }
      expect(taxes).toBe(taxIn(sum, rate))
    }),
  )
})

test('the rate is that of the country, else the default, and exact in millionths', () => {
  const byCountry = JSON.stringify({ PT: 0.23, DE: 0.07, default: 0.21 })
  expect(taxMillionthsFor(byCountry, 'PT')).toBe(230_000)
  expect(taxMillionthsFor(byCountry, 'DE')).toBe(70_000)
  expect(taxMillionthsFor(byCountry, 'FR')).toBe(210_000)
  expect(taxMillionthsFor(byCountry, null)).toBe(210_000)
  expect(taxMillionthsFor('0.055', 'FR')).toBe(55_000)
  expect(taxMillionthsFor(null, 'FR')).toBeNull()
})

onEachEngine('A receipt', world => {
  test('has the tax of the country of the address, by line, and is followed by credit notes that add up to it', async () => {
    const fan = await patientFan(world)
    const rates = { PT: 0.23, default: 0.1 }
    const scarf = await addStock(world, 5, { price: EUROS(999), taxRate: rates })
    const book = await addStock(world, 5, { price: EUROS(1_234), taxRate: 0.06 })
    const free = await addStock(world, 5, { price: EUROS(500) })
    const { id } = await buyWithMoney(fan, { productId: scarf, quantity: 3 }, book, free)
    const [receipt] = await receiptsOf(world, id)
    expect(receipt).toMatchObject({
      series: 'money',
      kind: 'receipt',
      currency: 'EUR',
      country: ADDRESS.country,
      lines: [
        { number: 1, quantity: 3, taxMillionths: 230_000, net: 2_437, tax: 560, gross: 2_997 },
        { number: 2, quantity: 1, taxMillionths: 60_000, net: 1_164, tax: 70, gross: 1_234 },
        { number: 3, quantity: 1, taxMillionths: null, net: 500, tax: 0, gross: 500 },
      ],
      net: 4_101,
      tax: 630,
      gross: 4_731,
    })
    expectStatus(200, await withdraw(fan, id, [1]))
    expectStatus(200, await withdraw(fan, id))
    await payOut(world, id)
    const [, part, rest, ...others] = await receiptsOf(world, id)
    expect(others).toEqual([])
    expect(part).toMatchObject({ kind: 'credit_note', ref: `${id}:1`, net: 2_437, tax: 560, gross: 2_997 })
    expect(rest).toMatchObject({ kind: 'credit_note', ref: id, net: 1_664, tax: 70, gross: 1_734 })
    await expectSound(world)
  })

  test('keeps the rate of the checkout, though the product changes before the payment', async () => {
    const fan = await patientFan(world)
    const productId = await addStock(world, 5, { price: EUROS(1_230), taxRate: 0.23 })
    const { id } = expectStatus(201, await checkout(fan, productId))
    await addProduct(world, {
      ...entryOf({ variants: [{ id: 'one', name: 'One size', stock: 5 }], taxRate: 0.05 }),
      id: productId,
    })
    expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
    expect(await receiptsOf(world, id)).toMatchObject([{ net: 1_000, tax: 230, gross: 1_230 }])
  })

  test('uses the country of the profile where nothing is shipped, also for a pack', async () => {
    const fan = await patientFan(world)
    const profile = { displayName: 'Ana', country: 'DE', locale: 'de-DE' }
    expectStatus(201, await fan.post('/api/user/profile', profile))
    const taxRate = { DE: 0.19, default: 0.5 }
    const voucher = { kind: 'voucher', delivers: {}, price: EUROS(1_190), taxRate } as const
    const { id } = await buyWithMoney(fan, await addStock(world, 5, voucher))
    expect(await receiptsOf(world, id)).toMatchObject([{ country: 'DE', net: 1_000, tax: 190 }])
    const packId = await addPack(world, { price: EUROS(1_190), taxRate: JSON.stringify(taxRate) })
    const { id: purchaseId } = await buyPack(fan, packId)
    expect(await receiptsOf(world, purchaseId)).toMatchObject([
      { purchaseKind: 'pack', country: 'DE', net: 1_000, tax: 190, gross: 1_190 },
    ])
    await world.db.write(tx => refundPack(tx, purchaseId))
    expect(await receiptsOf(world, purchaseId)).toMatchObject([
      { kind: 'receipt' },
      { kind: 'credit_note', net: 1_000, tax: 190, gross: 1_190 },
    ])
    await expectSound(world)
  })

  test('of points is in a series of its own, without tax', async () => {
    const fan = await patientFan(world, 1_000)
    const before = (await balanceOf(fan)).balance
    const productId = await addStock(world, 5, {
      price: { amount: 100, currency: 'POINTS' },
      taxRate: 0.21,
    })
    const { id } = expectStatus(201, await checkout(fan, productId))
    expectStatus(200, await completeOrder(fan, id))
    expect((await balanceOf(fan)).balance).toBe(before - 100)
    const [receipt] = await receiptsOf(world, id)
    expect(receipt).toMatchObject({ series: 'points', country: null, net: 100, tax: 0, gross: 100 })
    expect(receipt?.lines).toMatchObject([{ taxMillionths: null }])
    expect(await numbersOf(world, 'points')).toEqual([receipt?.number ?? 0])
    await expectSound(world)
  })
})
