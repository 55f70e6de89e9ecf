/** Carts, orders and payments for tests. */
import type { ProductEntry } from '../../../src/play/shop/entry-schema.ts'
import type { Client } from '../../support/client.ts'
import type { Fan, World } from '../../support/world.ts'
import { expectStatus } from '../packs/packs-world.ts'
import { addProduct, entryOf } from './products-world.ts'

export const HOLD = 30 * 60_000
/** After the first order that was not paid. */
export const WAIT = 2 * 60_000
export const POINTS = { amount: 100, currency: 'POINTS' }

export const ADDRESS = {
  name: 'Ana Ruiz',
  line1: 'Rua do Cais 12',
  city: 'Porto',
  postalCode: '4050-123',
  country: 'PT',
}

/** A product on sale with one variant `one`; answers its id. */
export async function addStock(
  world: World,
  stock: number | null,
  members: Partial<ProductEntry> = {},
): Promise<string> {
  const entry = entryOf({ variants: [{ id: 'one', name: 'One size', stock }], ...members })
  await addProduct(world, entry)
  return entry.id
}

interface Wanted {
  productId: string
  variantId?: string
  quantity?: number
}

export const checkout = (fan: Pick<Client, 'post'>, ...wanted: (string | Wanted)[]) =>
  fan.post('/api/checkout', {
    lines: wanted.map(one => ({ quantity: 1, ...(typeof one === 'string' ? { productId: one } : one) })),
    address: ADDRESS,
  })

export const completeOrder = (fan: Pick<Client, 'put'>, orderId: string, paymentReference?: string) =>
  fan.put('/api/checkout', { orderId, ...(paymentReference ? { paymentReference } : {}) })

export const cancelOrder = (fan: Pick<Client, 'post'>, orderId: string) =>
  fan.post('/api/checkout/cancel', { orderId })

export const orderOf = async (fan: Pick<Client, 'get'>, orderId: string) =>
  expectStatus(200, await fan.get(`/api/user/orders/${orderId}`))

/** The reference of a payment of this order. */
export const pay = async (fan: Fan, orderId: string, kind = 'paid'): Promise<string> =>
  expectStatus(201, await fan.post('/api/sandbox/receipts', { purchaseId: orderId, kind })).paymentReference

/** Starts an order and pays it with money. */
export async function buyWithMoney(fan: Fan, ...wanted: (string | Wanted)[]) {
  const { id } = expectStatus(201, await checkout(fan, ...wanted))
  return expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
}

/** Units that the list of products shows as free. */
export async function freeStock(world: World, productId: string): Promise<number | null> {
  const product = expectStatus(200, await world.anonymous.get(`/api/products/${productId}`))
  return product.variants[0].stockRemaining
}
