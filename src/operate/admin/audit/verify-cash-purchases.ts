/** Compares the cash that is held for purchases with the purchases: what is captured has completed one, and nothing else has. */
import { and, eq, gt, isNotNull, isNull, ne, or } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { POINTS } from '../../../play/purchases/purchase.ts'
import type { Finding } from './audit-fan.ts'
import { inRange, type Range } from './stored-fans.ts'

/** Of packs, and of what is no purchase: `findWrongOrders` compares orders. Each rule is one statement, and so one snapshot. */
export async function findWrongCashPurchases(reader: Reader, range: Range): Promise<Finding[]> {
  return [...(await findWrongPacks(reader, range)), ...(await findHoldsOfNothing(reader, range))]
}

async function findWrongPacks(reader: Reader, range: Range): Promise<Finding[]> {
  const { packPurchases: purchases, cashHolds: holds } = reader.tables
  const rows = await reader
    .select({
      ...{ id: purchases.id, userId: purchases.userId, status: purchases.status },
      ...{ reference: purchases.paymentReference, state: holds.state },
    })
    .from(purchases)
    .leftJoin(holds, eq(holds.purchaseId, purchases.id))
    .where(
      and(
        ...[inRange(purchases.userId, range), ne(purchases.priceCurrency, POINTS)],
        or(isNotNull(holds.state), and(isNull(purchases.paymentReference), gt(purchases.priceAmount, 0))),
      ),
    )
  return rows.flatMap(({ id, userId, status, reference, state }) => {
    const expected = statesOf(status, reference !== null)
    return expected.includes(state)
      ? []
      : [{ userId, what: `cash_holds.state of ${id}`, expected: expected[0] ?? null, actual: state }]
  })
}

/** The first is the one of which a finding speaks. Null: no hold. */
function statesOf(status: string, isPaidByGateway: boolean): (string | null)[] {
  if (isPaidByGateway) return [null, 'released']
  if (status === 'refunded') return ['refunded']
  // A purchase that was cancelled at the same time leaves a hold that ends with its time.
  return status === 'completed' || status === 'refund_due' ? ['captured'] : [null, 'held', 'released']
}

async function findHoldsOfNothing(reader: Reader, range: Range): Promise<Finding[]> {
  const { packPurchases, orders, cashHolds: holds } = reader.tables
  const rows = await reader
    .select({ id: holds.purchaseId, userId: holds.userId, state: holds.state })
    .from(holds)
    .leftJoin(packPurchases, eq(packPurchases.id, holds.purchaseId))
    .leftJoin(orders, eq(orders.id, holds.purchaseId))
    .where(and(inRange(holds.userId, range), isNull(packPurchases.id), isNull(orders.id)))
  return rows.map(({ id, userId, state }) => {
    return { userId, what: `cash_holds.purchase_id of ${id}`, expected: null, actual: state }
  })
}
