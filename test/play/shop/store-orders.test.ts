/** Orders that an app sells in the App Store: digital goods only. */
import { expect, test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'
import { createAppStore, PRODUCT } from '../packs/app-store.ts'
import { EUROS, expectStatus, patientFan, refusal } from '../packs/packs-world.ts'
import { addStock, checkout, completeOrder, orderOf } from './orders-world.ts'

const store = await createAppStore()
const DIGITAL = { kind: 'voucher' as const, price: EUROS }

onEachEngine(
  'An order in the App Store',
  world => {
    test('completes with a signed transaction, once, and is refunded when Apple refunds', async () => {
      const fan = await patientFan(world)
      const { id } = expectStatus(201, await checkout(fan, await addStock(world, 5, DIGITAL)))
      const body = { orderId: id, method: 'gateway', gateway: 'apple' }
      const prepared = expectStatus(200, await fan.post('/api/checkout/payment', body))
      expect(prepared.payment).toMatchObject({ store: { productId: PRODUCT, accountToken: id } })

      const transaction = store.transaction(id)
      const signed = await store.sign(transaction)
      const answers = await Promise.all([completeOrder(fan, id, signed), completeOrder(fan, id, signed)])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])

      const notification = await store.notification('REFUND', transaction)
      const answer = await world.anonymous.send('/api/webhooks/app-store', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: notification,
      })
      expect(answer.status).toBe(204)
      expect((await orderOf(fan, id)).status).toBe('refunded')
    })

    test('is not prepared for goods that are shipped', async () => {
      const fan = await patientFan(world)
      const scarf = await addStock(world, 5, { kind: 'physical', price: EUROS })
      const { id } = expectStatus(201, await checkout(fan, scarf))
      const body = { orderId: id, method: 'gateway', gateway: 'apple' }
      const answer = await fan.post('/api/checkout/payment', body)
      expect(refusal(answer)).toEqual([409, 'payment_method_not_accepted'])
      expect(answer.body.detail).toBe('The stores of mobile platforms sell no goods that are shipped.')
    })
  },
  { env: store.env },
)
