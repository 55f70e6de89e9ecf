/** An order that is paid by client and webhook, expires, is cancelled, refunded, and whose stock changes: in any order. */
import { expect, test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'
import { expectSound, permutationsOf, playSteps, STEPS } from './order-model.ts'

/** Of 5,040; the soak plays all. Prime, so that they differ in all places. */
const EVERY = 251

onEachEngine('Payment, webhook, expiry, cancellation, refund, import and a rival', world => {
  test('lead to an allowed state in every order, and no money is lost', async () => {
    const orders = permutationsOf(STEPS)
    expect(orders).toHaveLength(5_040)
    for (const steps of orders.filter((_, index) => index % EVERY === 0)) await playSteps(world, steps)
    await expectSound(world)
  })
})
