/** An order that is completed in the last moment of its hold, while another fan takes what it held. */
import { expect, test } from 'bun:test'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { PURCHASE_KINDS } from '../../../src/operate/admin/refunds/refund-purchase.ts'
import { complete } from '../../../src/play/purchases/complete.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { onServer } from '../../support/world.ts'
import { expectStatus, patientFan } from '../packs/packs-world.ts'
import { addStock, checkout, freeStock, HOLD, orderOf } from './orders-world.ts'

onServer('A completion in the last moment', world => {
  test.each([
    { price: { amount: 0, currency: 'POINTS' }, payment: { kind: 'own' as const }, outcome: 'expired' },
    { payment: { kind: 'money' as const, reference: 'sandbox_last' }, outcome: 'refund_due' },
  ])('sells nothing that another order holds by then: $outcome', async ({ payment, outcome, ...members }) => {
    const productId = await addStock(world, 1, members)
    const [late, quick] = [await patientFan(world), await patientFan(world)]
    const { id } = expectStatus(201, await checkout(late, productId))
    world.clock.advance(HOLD - 1)
    const [completed, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let attempts = 0
    const completing = world.db.write(async tx => {
      attempts++
      const completion = await complete(tx, PURCHASE_KINDS, orderKind, id, payment)
      completed.resolve()
      await held.promise
      return completion
    })
    await completed.promise
    world.clock.advance(1)
    const other = expectStatus(201, await checkout(quick, productId))
    held.resolve()

    expect((await completing).outcome).toBe(outcome)
    expect(attempts).toBe(2)
    expect((await orderOf(quick, other.id)).status).toBe('pending')
    expect(await freeStock(world, productId)).toBe(0)
    expect((await verifyLedger(world.db)).findings).toBe(0)
  })
})
