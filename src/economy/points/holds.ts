/**
 * Points that are held for a purchase until it is paid, is cancelled or expires. They stay in the balance and count for
 * thresholds, but cannot be spent on anything else. An expired hold holds nothing, so no job has to end it.
 */
import { and, asc, eq, gt, lte, type SQL, sql } from 'drizzle-orm'
import { deleteInBatches } from '../../../db/batches.ts'
import type { Database, Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { Account, PointsEntry } from './account.ts'
import { insufficientPoints } from './ledger.ts'

type PointsHold = Tables['pointsHolds']['$inferSelect']

/** Checks what other holds leave of the balance. The account must be locked. @throws DomainError `insufficient_points` */
export async function requireSpendable(
  tx: Transaction,
  { userId, balance }: Pick<Account, 'userId' | 'balance'>,
  amount: number,
): Promise<void> {
  const held = await readHeld(tx, userId, tx.clock())
  if (balance - held < amount) throw insufficientPoints(amount, balance, held)
}

/** Checks an entry that spends points, after it was booked. @throws DomainError `insufficient_points` */
export async function requireUnheld(
  tx: Transaction,
  userId: string,
  { delta, balanceAfter }: Pick<PointsEntry, 'delta' | 'balanceAfter'>,
): Promise<void> {
  const held = await readHeld(tx, userId, tx.clock())
  if (balanceAfter < held) throw insufficientPoints(-delta, balanceAfter - delta, held)
}

/** Holds points for a purchase, after `requireSpendable` under the same lock. */
export const holdPoints = prepared((tx: Transaction, hold: PointsHold) =>
  tx.insert(tx.tables.pointsHolds).values(hold),
)

/** Ends the hold of a purchase. False if there is none. */
export const endPointsHold = async (tx: Transaction, purchaseId: string): Promise<boolean> =>
  (await deleteHold(tx, purchaseId)).length > 0

const deleteHold = prepared((tx: Transaction, purchaseId: string) => {
  const { pointsHolds: holds } = tx.tables
  return tx.delete(holds).where(eq(holds.purchaseId, purchaseId)).returning({ purchaseId: holds.purchaseId })
})

/** Points of the balance that are held now. More than the balance, if points were taken back since. */
export const readHeld = async (reader: Reader, userId: string, now: Date): Promise<number> =>
  (await selectHeld(reader, userId, now))?.held ?? 0

const selectHeld = preparedRow((reader: Reader, userId: string, now: Date) => {
  const { pointsHolds: holds } = reader.tables
  return reader
    .select({ held: sql`coalesce(sum(${holds.amount}), 0)`.mapWith(Number) })
    .from(holds)
    .where(and(eq(holds.userId, userId), gt(holds.expiresAt, now)))
})

/** SQL for the held points of a fan, as a part of a larger statement. */
export function heldOf(reader: Reader, userId: string, now: Date): SQL<number> {
  const { pointsHolds: holds } = reader.tables
  const isOpen = and(eq(holds.userId, userId), gt(holds.expiresAt, now))
  return sql<number>`coalesce((select sum(${holds.amount}) from ${holds} where ${isOpen}), 0)`.mapWith(Number)
}

/** The holds of a fan, for the export. */
export function exportPointsHolds(reader: Reader, userId: string) {
  const { pointsHolds: holds } = reader.tables
  const { purchaseId, amount, expiresAt } = holds
  return reader
    .select({ purchaseId, amount, expiresAt })
    .from(holds)
    .where(eq(holds.userId, userId))
    .orderBy(asc(purchaseId))
}

/** For the erasure of a fan, which cancels their purchases. */
export async function deletePointsHolds(tx: Transaction, userId: string): Promise<void> {
  const { pointsHolds: holds } = tx.tables
  await tx.delete(holds).where(eq(holds.userId, userId))
}

/** So that no process whose clock is behind misses its hold. */
const KEPT_MS = 3_600_000

/** Deletes expired holds. Returns how many. */
export const sweepPointsHolds = (db: Database): Promise<number> =>
  deleteInBatches(db, db.tables.pointsHolds, tx =>
    lte(tx.tables.pointsHolds.expiresAt, new Date(tx.now().getTime() - KEPT_MS)),
  )
