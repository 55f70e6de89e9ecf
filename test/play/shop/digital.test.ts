/** Products that are not shipped: packs, collectibles, files and vouchers, delivered with the payment. */
import { expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { refund } from '../../../src/play/purchases/refund.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import type { Client } from '../../support/client.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import { addPack, expectStatus, open, patientFan, refusal } from '../packs/packs-world.ts'
import {
  ADDRESS,
  addStock,
  buyWithMoney,
  cancelOrder,
  checkout,
  completeOrder,
  freeStock,
  HOLD,
  orderOf,
  pay,
} from './orders-world.ts'

const folder = mkdtempSync(join(tmpdir(), 'matchday-downloads-'))
writeFileSync(join(folder, 'wallpaper.png'), 'the wallpaper')

const refundOrder = ({ db }: World, id: string) => db.write(tx => refund(tx, orderKind, id))
const deskOf = async (world: World) =>
  world.withToken(await world.serverKey(['redemptions:read', 'redemptions:write']))
const vouchers = (world: World, stock: number | null, delivers: { credit?: number } = {}, amount = 500) =>
  addStock(world, stock, { kind: 'voucher', delivers, price: { amount, currency: 'EUR' } })

onEachEngine(
  'A paid order',
  world => {
    test('gives sealed packs that the fan opens', async () => {
      const fan = await patientFan(world)
      const packId = await addPack(world)
      const productId = await addStock(world, 5, { kind: 'pack', delivers: { packId } })
      const order = await buyWithMoney(fan, { productId, quantity: 2 })
      expect(order).toMatchObject({ status: 'fulfilled', address: null, lines: [{ state: 'delivered' }] })
      const { packs } = expectStatus(200, await fan.get('/api/user/packs'))
      expect(packs).toHaveLength(2)
      expect(packs.map(({ purchaseId }: { purchaseId: string }) => purchaseId).toSorted()).toEqual(
        order.lines[0].packPurchaseIds.toSorted(),
      )
      const purchase = expectStatus(200, await fan.get(`/api/packs/purchases/${packs[0].purchaseId}`))
      expect(purchase).toMatchObject({ status: 'completed', price: { amount: 0 } })
      expect(expectStatus(200, await open(fan, packs[0].id)).items).toHaveLength(3)
    })

    test('that is refunded loses its sealed packs, and keeps what was opened', async () => {
      const fan = await patientFan(world)
      const packId = await addPack(world)
      const productId = await addStock(world, 5, { kind: 'pack', delivers: { packId } })
      const [sealed, opened] = [await buyWithMoney(fan, productId), await buyWithMoney(fan, productId)]
      const [{ id: userPackId }] = expectStatus(200, await fan.get('/api/user/packs')).packs
      expectStatus(200, await open(fan, userPackId))
      expect((await refundOrder(world, sealed.id)).supplyReturned).toBe(true)
      expect((await refundOrder(world, opened.id)).supplyReturned).toBe(false)
      const states = expectStatus(200, await fan.get('/api/user/packs')).packs
      expect(states.map(({ state }: { state: string }) => state).toSorted()).toEqual(['opened', 'revoked'])
      expect(await freeStock(world, productId)).toBe(4)
      expect((await orderOf(fan, sealed.id)).lines[0].state).toBe('returned')
      expect((await orderOf(fan, opened.id)).lines[0].state).toBe('delivered')
    })

    test('gives collectibles, which stay with the fan after a refund', async () => {
      const fan = await patientFan(world)
      const collectibleId = `${await addPack(world)}-epic`
      const productId = await addStock(world, 5, { kind: 'digital', delivers: { collectibleId } })
      const { id } = await buyWithMoney(fan, { productId, quantity: 2 })
      await refundOrder(world, id)
      const [item] = expectStatus(200, await fan.get('/api/user/collection')).items
      expect(item).toMatchObject({ id: collectibleId, count: 2, serialNumbers: [1, 2] })
      expect(await freeStock(world, productId)).toBe(3)
    })

    test('gives a link to a file that expires and ends with a refund', async () => {
      const [fan, other] = [await patientFan(world), await patientFan(world)]
      const productId = await addStock(world, null, {
        kind: 'digital',
        delivers: { file: 'wallpaper.png' },
      })
      const pending = expectStatus(201, await checkout(fan, productId))
      const linkOf = (who: Client, id: string) => who.get(`/api/user/orders/${id}/lines/1/download`)
      expect(refusal(await linkOf(fan, pending.id))).toEqual([404, 'no_download'])
      const { id } = await buyWithMoney(fan, productId)
      expect(refusal(await linkOf(other, id))).toEqual([404, 'order_not_found'])
      const { url, expiresAt } = expectStatus(200, await linkOf(fan, id))
      expect(expiresAt).toBe(new Date(world.clock.ms + 600_000).toISOString())
      const fetched = (path: string) => world.app.handle(new Request(`http://localhost${path}`))
      const file = await fetched(url)
      expect([file.status, await file.text()]).toEqual([200, 'the wallpaper'])
      expect(file.headers.get('content-disposition')).toBe('attachment; filename="wallpaper.png"')
      const signature = url.split('.').at(-1)
      for (const forged of [url.replace('.1.', '.2.'), url.replace(signature, 'x'), `${url}.x`])
        expect((await fetched(forged)).status).toBe(404)
      world.clock.advance(600_000)
      expect((await fetched(url)).status).toBe(404)
      const later = expectStatus(200, await linkOf(fan, id)).url
      await refundOrder(world, id)
      expect((await fetched(later)).status).toBe(404)
      expect(refusal(await linkOf(fan, id))).toEqual([404, 'no_download'])
    })

    test('gives a voucher code for each unit, which the desk uses once', async () => {
      const [fan, desk] = [await patientFan(world), await deskOf(world)]
      const productId = await vouchers(world, 5)
      const { id, lines } = await buyWithMoney(fan, { productId, quantity: 2 })
      const [{ code }, second] = lines[0].vouchers
      expect(new Set([code, second.code]).size).toBe(2)
      const found = expectStatus(200, await desk.get(`/api/redemptions/${code.toLowerCase()}`))
      expect(found).toMatchObject({
        code,
        reward: { id: productId, itemType: 'voucher' },
        order: { id, productId, variantId: 'one' },
        usedAt: null,
      })
      const used = expectStatus(200, await desk.post(`/api/redemptions/${code}/use`))
      expect(used.usedBy).toStartWith('source-')
      expect(refusal(await desk.post(`/api/redemptions/${code}/use`))).toEqual([409, 'already_used'])
      const states = (await orderOf(fan, id)).lines[0].vouchers.map(({ state }: { state: string }) => state)
      expect(states).toEqual(['used', 'valid'])
    })

    test('that is refunded voids its vouchers; a line of which one was used stays sold', async () => {
      const [fan, desk] = [await patientFan(world), await deskOf(world)]
      const productId = await vouchers(world, 5)
      const [whole, part] = [
        await buyWithMoney(fan, { productId, quantity: 2 }),
        await buyWithMoney(fan, { productId, quantity: 2 }),
      ]
      expectStatus(200, await desk.post(`/api/redemptions/${part.lines[0].vouchers[0].code}/use`))
      await refundOrder(world, whole.id)
      await refundOrder(world, part.id)
      for (const { code } of whole.lines[0].vouchers)
        expect(refusal(await desk.post(`/api/redemptions/${code}/use`))).toEqual([
          404,
          'redemption_not_found',
        ])
      const left = part.lines[0].vouchers[1].code
      expect(refusal(await desk.get(`/api/redemptions/${left}`))).toEqual([404, 'redemption_not_found'])
      expect(await freeStock(world, productId)).toBe(3)
    })

    const withVoucher = (fan: Fan, productId: string, voucher: string) =>
      fan.post('/api/checkout', { lines: [{ productId, quantity: 1 }], address: ADDRESS, voucher })

    test('is reduced by the credit of a voucher, which is spent with the payment', async () => {
      const fan = await patientFan(world)
      const bought = await buyWithMoney(fan, await vouchers(world, 5, { credit: 500 }))
      const [{ code }] = bought.lines[0].vouchers
      const productId = await addStock(world, 5)
      const order = expectStatus(201, await withVoucher(fan, productId, code))
      expect(order).toMatchObject({ discount: { amount: 500, currency: 'EUR' }, total: { amount: 1400 } })
      expect((await orderOf(fan, bought.id)).lines[0].vouchers[0].state).toBe('valid')
      expectStatus(200, await completeOrder(fan, order.id, await pay(fan, order.id)))
      expect((await orderOf(fan, bought.id)).lines[0].vouchers[0].state).toBe('used')
      expect(refusal(await withVoucher(fan, productId, code))).toEqual([409, 'voucher_not_accepted'])
      await refundOrder(world, order.id)
      expect((await orderOf(fan, bought.id)).lines[0].vouchers[0].state).toBe('valid')
    })

    test('that a voucher pays in full needs no money', async () => {
      const fan = await patientFan(world)
      const bought = await buyWithMoney(fan, await vouchers(world, 5, { credit: 5000 }))
      const answer = await withVoucher(fan, await addStock(world, 5), bought.lines[0].vouchers[0].code)
      const order = expectStatus(201, answer)
      expect(order).toMatchObject({ discount: { amount: 1900 }, total: { amount: 0 } })
      expect(expectStatus(200, await completeOrder(fan, order.id)).status).toBe('paid')
    })

    test('has a voucher to itself while it is pending', async () => {
      const [fan, other] = [await patientFan(world), await patientFan(world)]
      const bought = await buyWithMoney(fan, await vouchers(world, 5, { credit: 500 }))
      const [{ code }] = bought.lines[0].vouchers
      const productId = await addStock(world, null)
      const first = expectStatus(201, await withVoucher(fan, productId, code))
      expect(refusal(await withVoucher(other, productId, code))).toEqual([409, 'voucher_not_accepted'])
      expectStatus(200, await cancelOrder(fan, first.id))
      const second = expectStatus(201, await withVoucher(other, productId, code))
      world.clock.advance(HOLD)
      const third = expectStatus(201, await withVoucher(fan, productId, code))
      // The second expired: its payment finds the voucher in the third.
      const late = await completeOrder(other, second.id, await pay(other, second.id))
      expect(refusal(late)).toEqual([409, 'order_expired'])
      expect((await orderOf(other, second.id)).status).toBe('refund_due')
      expectStatus(200, await completeOrder(fan, third.id, await pay(fan, third.id)))
    })

    test('refuses a voucher of another currency, without a credit, or that does not exist', async () => {
      const fan = await patientFan(world)
      const [desk, dollars] = [
        await buyWithMoney(fan, await vouchers(world, 5)),
        await buyWithMoney(
          fan,
          await addStock(world, 5, {
            kind: 'voucher',
            delivers: { credit: 5 },
            price: { amount: 5, currency: 'USD' },
          }),
        ),
      ]
      const codes = [desk, dollars].map(({ lines }) => lines[0].vouchers[0].code)
      for (const code of [...codes, '7Q2M-X9KD-4T0B-HW5E', 'nothing'])
        expect(refusal(await withVoucher(fan, await addStock(world, 5), code))).toEqual([
          409,
          'voucher_not_accepted',
        ])
    })

    test('of a pack that was limited and sold meanwhile is to be refunded', async () => {
      const fan = await patientFan(world)
      const packId = await addPack(world)
      const productId = await addStock(world, 5, { kind: 'pack', delivers: { packId } })
      const { id } = expectStatus(201, await checkout(fan, productId))
      const { packs } = world.db.tables
      await world.db.write(tx => tx.update(packs).set({ supplyTotal: 0 }).where(eq(packs.id, packId)))
      expect(refusal(await completeOrder(fan, id, await pay(fan, id)))).toEqual([409, 'product_inactive'])
      expect((await orderOf(fan, id)).status).toBe('refund_due')
      expect(refusal(await checkout(fan, productId))).toEqual([409, 'product_inactive'])
    })
  },
  { env: { DOWNLOADS: folder } },
)

onEachEngine('A server without a folder of files', world => {
  test('sells no files', async () => {
    const fan = await patientFan(world)
    const productId = await addStock(world, null, { kind: 'digital', delivers: { file: 'wallpaper.png' } })
    expect(refusal(await checkout(fan, productId))).toEqual([409, 'product_inactive'])
  })
})
