/** The payments with money that purchases have accepted, one row each. */

import { and, asc, eq, isNotNull, isNull } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'

export type PaymentRow = Tables['payments']['$inferSelect']

/** False if the reference has paid another purchase, or if another payment has paid the purchase. */
export const insertPayment = async (tx: Transaction, payment: PaymentRow): Promise<boolean> =>
  (await insertOnce(tx, payment)).length > 0

const insertOnce = prepared((tx: Transaction, payment: PaymentRow) =>
  tx
    .insert(tx.tables.payments)
    .values(payment)
    .onConflictDoNothing()
    .returning({ reference: tx.tables.payments.reference }),
)

export async function markPaymentRefunded(tx: Transaction, purchaseId: string): Promise<void> {
  const { payments } = tx.tables
  await tx
    .update(payments)
    .set({ refundedAt: tx.now(), acknowledgeBy: null })
    .where(and(eq(payments.purchaseId, purchaseId), isNull(payments.refundedAt)))
}

/** The purchase that a payment has paid; undefined for a payment that was not accepted. */
export async function findPayment(reader: Reader, reference: string): Promise<PaymentRow | undefined> {
  const { payments } = reader.tables
  const [payment] = await reader.select().from(payments).where(eq(payments.reference, reference))
  return payment
}

/** The payments whose delivery is not confirmed to the store, the earliest deadline first. */
export async function listUnacknowledged(reader: Reader, limit: number): Promise<PaymentRow[]> {
  const { payments } = reader.tables
  return reader
    .select()
    .from(payments)
    .where(isNotNull(payments.acknowledgeBy))
    .orderBy(asc(payments.acknowledgeBy))
    .limit(limit)
}

export async function markAcknowledged(tx: Transaction, reference: string): Promise<void> {
  const { payments } = tx.tables
  await tx.update(payments).set({ acknowledgeBy: null }).where(eq(payments.reference, reference))
}
