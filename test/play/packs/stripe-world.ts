/** Purchases that are paid through Stripe, and the application as it is when Stripe lets it wait. */
import { createApp } from '../../../src/app/app.ts'
import { createStripeGateway } from '../../../src/play/purchases/gateways/stripe.ts'
import { createClient } from '../../support/client.ts'
import type { Fan, World } from '../../support/world.ts'
import { addPack, EUROS, expectStatus, type NewPack, patientFan, start } from './packs-world.ts'
import { eventOf, type Intent, type Session, type StripeServer, signEvent } from './stripe-server.ts'

interface GatewayOptions {
  secretKey?: string
  /** Short for a Stripe that never answers, and only for that one: nothing that answers is held to it. */
  deadlineMs?: number
}

/** A gateway that does not try again. */
export function impatientGateway({ config, deps }: World, options: GatewayOptions = {}) {
  const { secretKey, deadlineMs = 10_000 } = options
  if (config.payments.gateway !== 'stripe') throw new Error('the world is not of Stripe')
  const settings = { ...config.payments, ...(secretKey ? { secretKey } : {}) }
  return createStripeGateway(settings, { log: deps.log, deadlineMs, retries: 0 })
}

/** This fan as a client of an application with the impatient gateway, on the same database. */
export function impatient(world: World, fan: { token?: string }, options: GatewayOptions = {}) {
  const app = createApp({ ...world.deps, payments: { stripe: impatientGateway(world, options) } })
  return createClient(
    request => app.handle(request),
    () => null,
    fan.token,
  )
}

export interface Checkout {
  fan: Fan
  packId: string
  purchaseId: string
  intentId: string
}

export const prepare = (fan: Pick<Fan, 'post'>, purchaseId: string) =>
  fan.post('/api/packs/purchase/payment', { purchaseId })

/** A purchase that is prepared and waits for its payment. */
export async function checkOut(world: World, pack: NewPack = {}): Promise<Checkout> {
  const packId = await addPack(world, { price: EUROS, supply: 5, ...pack })
  const fan = await patientFan(world)
  const { id: purchaseId } = expectStatus(201, await start(fan, packId))
  const { paymentReference: intentId } = expectStatus(200, await prepare(fan, purchaseId))
  return { fan, packId, purchaseId, intentId }
}

export const deliverBody = (world: World, body: string, signature: string, client = world.anonymous) =>
  client.send('/api/webhooks/stripe', {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
    body,
  })

/** Stripe tells us of this intent or session. */
export function deliver(world: World, intent: Intent | Session, type?: string, client = world.anonymous) {
  const body = JSON.stringify(eventOf(intent, type))
  return deliverBody(world, body, signEvent(body, world.clock.ms), client)
}

/** Everything that a payment may write. */
export async function traces({ db }: World, { packId, purchaseId }: Pick<Checkout, 'packId' | 'purchaseId'>) {
  const { packs, packPurchases, userPacks } = db.tables
  const [purchase] = (await db.read.select().from(packPurchases)).filter(({ id }) => id === purchaseId)
  const [pack] = (await db.read.select().from(packs)).filter(({ id }) => id === packId)
  const handedOver = (await db.read.select().from(userPacks)).filter(row => row.purchaseId === purchaseId)
  return {
    status: purchase?.status,
    paymentReference: purchase?.paymentReference,
    sold: pack?.supplySold,
    handedOver: handedOver.length,
  }
}

export const UNTOUCHED = { status: 'pending', paymentReference: null, sold: 0, handedOver: 0 }
export const completedBy = (paymentReference: string) => ({
  status: 'completed',
  paymentReference,
  sold: 1,
  handedOver: 1,
})

/** Errors that were logged since the last call. */
export const complaints = ({ logged }: World) =>
  logged
    .splice(0)
    .map(line => JSON.parse(line))
    .filter(({ level }) => level >= 50)

export const requestsFor = ({ asked }: StripeServer, path: string) => asked.filter(one => one.path === path)
