/** Events of an order in any sequence, and invariants at the end: for the tests and the soak. */
import { expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { PURCHASE_KINDS } from '../../../src/operate/admin/refunds/refund-purchase.ts'
import { complete } from '../../../src/play/purchases/complete.ts'
import { refund } from '../../../src/play/purchases/refund.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import type { Fan, World } from '../../support/world.ts'
import { expectStatus, patientFan } from '../packs/packs-world.ts'
import { cancelOrder, checkout, completeOrder, HOLD, orderOf, pay } from './orders-world.ts'
import { addProduct, entryOf } from './products-world.ts'

export const STEPS = ['client', 'webhook', 'expiry', 'cancel', 'refund', 'import', 'rival'] as const
type Step = (typeof STEPS)[number]

/** An order of the last unit, and these steps. Its money was presented twice: it is delivered, due or refunded. */
export async function playSteps(world: World, steps: readonly Step[]): Promise<void> {
  const { db } = world
  const [fan, rival] = [await patientFan(world), await patientFan(world)]
  const entry = entryOf({ variants: [{ id: 'one', name: 'One size', stock: 1 }] })
  await addProduct(world, entry)
  const { id } = expectStatus(201, await checkout(fan, entry.id))
  const reference = await pay(fan, id)
  const take: Record<Step, () => Promise<unknown>> = {
    client: () => completeOrder(fan, id, reference),
    webhook: () => db.write(tx => complete(tx, PURCHASE_KINDS, orderKind, id, { kind: 'money', reference })),
    expiry: async () => world.clock.advance(HOLD),
    cancel: () => cancelOrder(fan, id),
    // Refused while nothing is paid.
    refund: () => db.write(tx => refund(tx, orderKind, id)).catch(() => {}),
    // Refused while the unit is held or sold.
    import: () =>
      addProduct(world, { ...entry, variants: [{ id: 'one', name: 'One size', stock: 0 }] }).catch(() => {}),
    rival: () => buyIfFree(rival, entry.id),
  }
  for (const step of steps) await take[step]()
  const { status } = await orderOf(fan, id)
  expect([['paid', 'refund_due', 'refunded'].includes(status), steps]).toEqual([true, steps])
  const { payments } = db.tables
  const taken = await db.read.select().from(payments).where(eq(payments.purchaseId, id))
  expect(taken.map(payment => payment.reference)).toEqual([reference])
}

async function buyIfFree(fan: Fan, productId: string): Promise<void> {
  const { status, body } = await checkout(fan, productId)
  if (status === 201) await completeOrder(fan, body.id, await pay(fan, body.id))
}

export const expectSound = async ({ db }: Pick<World, 'db'>) =>
  expect((await verifyLedger(db)).findings).toBe(0)

/** All orders of the steps. */
export function permutationsOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, index) =>
    permutationsOf(items.toSpliced(index, 1)).map(rest => [item, ...rest]),
  )
}
