/** The scenarios of cash: topped up, held for a purchase, captured, released, and refunded. */
import { lockSettledCash } from '../../src/economy/cash/holds.ts'
import { refund } from '../../src/play/purchases/refund.ts'
import { topUpKind } from '../../src/play/top-ups/top-up-kind.ts'
import {
  addPack,
  EUROS,
  expectStatus,
  HOLD,
  patientFan,
  receipt,
  start,
  userIdOf,
} from '../play/packs/packs-world.ts'
import { refundPack } from '../play/packs/refund-pack.ts'
import { addStock, checkout } from '../play/shop/orders-world.ts'
import { cashEnv, holdForPack, promote, startTopUp, topUp } from '../play/top-ups/cash-world.ts'
import type { Fan, World } from '../support/world.ts'
import type { Act } from './scenarios.ts'

/** Settings of a world in which the scenarios run. */
export const scenarioSettings = { env: cashEnv }

const keyed = () => ({ 'idempotency-key': crypto.randomUUID() })

/** A fan with paid-in cash and a promotion, neither of which is sufficient alone. */
async function fanWithCash(world: World): Promise<Fan> {
  const fan = await patientFan(world)
  await topUp(fan, 100_000)
  await promote(world, (await userIdOf(world, fan)) ?? '', 50)
  return fan
}

async function startedPack(world: World, fan: Fan): Promise<string> {
  const packId = await addPack(world, { id: crypto.randomUUID(), price: EUROS, supply: 5 })
  return expectStatus(201, await start(fan, packId)).id
}

/** A purchase for which cash is held. */
async function heldPack(world: World, fan: Fan): Promise<string> {
  const id = await startedPack(world, fan)
  expectStatus(200, await holdForPack(fan, id))
  return id
}

const done = async (work: Promise<unknown>) => {
  await work
  return { status: 200, body: null }
}

export const cashScenarios: Record<string, (world: World) => Promise<Act>> = {
  async 'a top-up'(world) {
    const fan = await patientFan(world)
    const { id: topUpId } = expectStatus(201, await startTopUp(fan, 1000))
    const body = { topUpId, paymentReference: await receipt(fan, topUpId) }
    const headers = keyed()
    return () => fan.put('/api/cash/top-ups', body, headers)
  },
  async 'a refund of a top-up'(world) {
    const fan = await patientFan(world)
    const { id } = await topUp(fan, 1000)
    return () => done(world.db.write(tx => refund(tx, topUpKind, id)))
  },
  async 'a hold of cash'(world) {
    const fan = await fanWithCash(world)
    const purchaseId = await startedPack(world, fan)
    const headers = keyed()
    return () => fan.post('/api/packs/purchase/payment', { purchaseId, method: 'cash' }, headers)
  },
  async 'a hold of cash after one that has expired'(world) {
    const fan = await fanWithCash(world)
    await heldPack(world, fan)
    world.clock.advance(HOLD)
    const purchaseId = await startedPack(world, fan)
    const headers = keyed()
    return () => fan.post('/api/packs/purchase/payment', { purchaseId, method: 'cash' }, headers)
  },
  async 'a capture of cash'(world) {
    const fan = await fanWithCash(world)
    const purchaseId = await heldPack(world, fan)
    const headers = keyed()
    return () => fan.put('/api/packs/purchase', { purchaseId }, headers)
  },
  async 'a capture of cash for an order'(world) {
    const fan = await fanWithCash(world)
    const { id: orderId } = expectStatus(201, await checkout(fan, await addStock(world, 5)))
    expectStatus(200, await fan.post('/api/checkout/payment', { orderId, method: 'cash' }))
    const headers = keyed()
    return () => fan.put('/api/checkout', { orderId }, headers)
  },
  async 'a release of cash'(world) {
    const fan = await fanWithCash(world)
    const id = await heldPack(world, fan)
    const headers = keyed()
    return () => fan.post(`/api/packs/purchases/${id}/cancel`, undefined, headers)
  },
  async 'a release of cash by the clock'(world) {
    const fan = await fanWithCash(world)
    await heldPack(world, fan)
    world.clock.advance(HOLD)
    const key = { userId: (await userIdOf(world, fan)) ?? '', currency: 'EUR' }
    return () => done(world.db.write(tx => lockSettledCash(tx, key)))
  },
  async 'a refund of cash'(world) {
    const fan = await fanWithCash(world)
    const purchaseId = await heldPack(world, fan)
    expectStatus(200, await fan.put('/api/packs/purchase', { purchaseId }))
    return () => done(world.db.write(tx => refundPack(tx, purchaseId)))
  },
}
