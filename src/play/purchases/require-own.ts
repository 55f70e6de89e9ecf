import type { Reader } from '../../../db/index.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { findUser } from '../../identity/users/users.ts'
import type { Locked, PurchaseKind } from './kind.ts'
import type { Purchase } from './purchase.ts'

/** A purchase of the caller. @throws DomainError `notFound` of the kind, also for another fan's purchase */
export async function requireOwn<Row extends Purchase, Lock extends Locked, Result>(
  reader: Reader,
  kind: PurchaseKind<Row, Lock, Result>,
  caller: Caller,
  purchaseId: string,
): Promise<Row> {
  const user = await findUser(reader, caller)
  const purchase = user && (await kind.find(reader, purchaseId))
  if (!purchase || purchase.userId !== user.id) throw new DomainError(kind.problems.notFound)
  return purchase
}
