/** GET /api/user/orders/{id}/receipt: as JSON, or as a page to print. */
import { expect, test } from 'bun:test'
import { streamJson } from '../../../src/core/stream-json.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { exportUser } from '../../../src/operate/admin/export-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { prefersHtml } from '../../../src/play/receipts/routes.ts'
import { onEachEngine } from '../../support/world.ts'
import {
  addPack,
  buyWithMoney as buyPack,
  expectStatus,
  patientFan,
  refusal,
  userIdOf,
} from '../packs/packs-world.ts'
import { ADDRESS, addStock, buyWithMoney, checkout } from '../shop/orders-world.ts'
import { receiptsOf } from '../shop/receipts-world.ts'
import { expectSound, payOut, withdraw } from '../shop/withdrawals-world.ts'

test.each([
  ['text/html', true],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['text/html;q=0.5, application/json', false],
  ['application/json, text/html', false],
  ['text/html;q=0', false],
  ['*/*', false],
  [null, false],
])('of Accept: %p, HTML is preferred: %p', (accept, expected) => {
  expect(prefersHtml(accept)).toBe(expected)
})

onEachEngine('The receipt of a fan', world => {
  const pathOf = (id: string) => `/api/user/orders/${id}/receipt`
  const EUROS = { amount: 1_230, currency: 'EUR' }

  async function buy() {
    const fan = await patientFan(world)
    const name = { en: 'Scarf <b>', ar: 'وشاح' }
    const productId = await addStock(world, 9, { name, price: EUROS, taxRate: 0.23 })
    const { id } = await buyWithMoney(fan, { productId, quantity: 2 })
    return { fan, id }
  }

  test('names seller, buyer, lines and taxes, with the credit notes of its refunds', async () => {
    const seller = {
      sellerName: 'Harbour & Sons',
      sellerAddress: 'Rua do Cais 1',
      sellerTaxId: 'PT501234567',
    }
    await world.db.write(tx => writeRecord(tx, { kind: 'settings', entry: { id: 'club', ...seller } }))
    world.clock.advance(1_000)
    const { fan, id } = await buy()
    const receipt = expectStatus(200, await fan.get(pathOf(id)))
    const amounts = { net: 2_000, tax: 460, gross: 2_460 }
    const { number } = receipt
    expect(receipt).toMatchObject({
      ...amounts,
      orderId: id,
      series: 'money',
      number: expect.any(Number),
      currency: 'EUR',
      country: 'PT',
      lines: [{ number: 1, name: 'Scarf <b>', variant: 'One size', quantity: 2, taxRate: 0.23, ...amounts }],
      seller: { name: 'Harbour & Sons', address: 'Rua do Cais 1', taxId: 'PT501234567' },
      buyer: { name: ADDRESS.name, city: ADDRESS.city },
      creditNotes: [],
    })
    expectStatus(200, await withdraw(fan, id, [1]))
    await payOut(world, id)
    expect(expectStatus(200, await fan.get(pathOf(id))).creditNotes).toMatchObject([
      { series: 'money', number: number + 1, ...amounts, lines: [{ quantity: 2, ...amounts }] },
    ])
    await expectSound(world)
  })

  test('is a page in the language of the fan, from right to left, without scripts and with escaped names', async () => {
    const { fan, id } = await buy()
    const answer = await fan.get(`${pathOf(id)}?lang=ar`, { Accept: 'text/html' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'sha256-")
    expect(answer.body).toContain('<html lang="ar" dir="rtl">')
    expect(answer.body).toContain('إيصال')
    expect(answer.body).toContain('وشاح')
    const english = await fan.get(pathOf(id), { Accept: 'text/html', 'Accept-Language': 'en' })
    expect(english.body).toContain('Scarf &lt;b&gt;')
    expect(english.body).toContain('€24.60')
    expect(english.body).not.toContain('<script')
  })

  test('is there for packs for money, and neither for what is unpaid nor for packs for points', async () => {
    const fan = await patientFan(world, 1_000)
    const packId = await addPack(world, { price: EUROS, taxRate: '0.23' })
    const { id } = await buyPack(fan, packId)
    expect(expectStatus(200, await fan.get(pathOf(id)))).toMatchObject({
      orderId: id,
      buyer: null,
      lines: [{ name: packId, variant: null, quantity: 1, net: 1_000, tax: 230, gross: 1_230 }],
    })
    const unpaid = expectStatus(201, await checkout(fan, await addStock(world, 9, { price: EUROS })))
    expect(refusal(await fan.get(pathOf(unpaid.id)))).toEqual([404, 'receipt_not_found'])
  })

  test('is in the exports of the fan, and follows orders and packs in a merge', async () => {
    const { fan, id } = await buy()
    const packId = await addPack(world, { price: EUROS, taxRate: '0.23' })
    const { id: packPurchaseId } = await buyPack(fan, packId)
    expectStatus(200, await withdraw(fan, id, [1]))
    await payOut(world, id)
    const receipts = [
      expectStatus(200, await fan.get(pathOf(id))),
      expectStatus(200, await fan.get(pathOf(packPurchaseId))),
    ]
    expect(receipts).toMatchObject([{ buyer: { name: ADDRESS.name }, creditNotes: [{}] }, { buyer: null }])
    const from = (await userIdOf(world, fan)) ?? ''
    expect(await exported(from)).toEqual(receipts)

    const other = await patientFan(world, 1_000)
    const into = (await userIdOf(world, other)) ?? ''
    await world.db.write(tx => mergeFans(tx, { from, into, mergedBy: 'Ana', reason: null }))
    expect(expectStatus(200, await other.get(pathOf(id)))).toEqual(receipts[0])
    expect(await exported(into)).toEqual(receipts)
    await expectSound(world)
  })

  /** In the default language, as the default of the requests. */
  async function exported(id: string) {
    const found = await exportUser(world.db.read, { id }, world.deps.addressEncryption)
    return JSON.parse((await Array.fromAsync(streamJson(found))).join('')).receipts
  }

  test('stays after an erasure, without name and address', async () => {
    const { fan, id } = await buy()
    const userId = (await userIdOf(world, fan)) ?? ''
    const before = await receiptsOf(world, id)
    await world.db.write(tx => eraseUser(tx, { id: userId }))
    expect(await receiptsOf(world, id)).toEqual(before)
    expect(JSON.stringify(before)).not.toContain(ADDRESS.name)
    expect(JSON.stringify(before)).not.toContain(userId)
    await expectSound(world)
  })
})
