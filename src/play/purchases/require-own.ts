import type { Reader } from '../../../db/index.ts'
import type { Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import type { Locked, PurchaseKind } from './kind.ts'
import type { Purchase } from './purchase.ts'

/** A purchase of the caller. @throws DomainError `notFound` of the kind, also for another fan's purchase */
export async function requireOwn<Row extends Purchase, Lock extends Locked, Result>(
  reader: Reader,
  kind: PurchaseKind<Row, Lock, Result>,
  { userId }: Viewer,
  purchaseId: string,
): Promise<Row> {
  const purchase = await kind.find(reader, purchaseId)
  if (purchase?.userId !== userId) throw new DomainError(kind.problems.notFound)
  return purchase
}
