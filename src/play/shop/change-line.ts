/** The states of the lines of a paid order, as the club's systems report them. */

import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { lockFan, lockToCount } from '../../identity/users/locks.ts'
import { recordLine } from './events.ts'
import { findOrder, type LineRow, type OrderRow, readLines, updateLine } from './order-rows.ts'
import type { LineChange } from './order-schema.ts'
import { shopProblems } from './problems.ts'
import { refundUnits } from './refund-lines.ts'
import { changeSold, lockStock } from './stock.ts'

/** The state that must precede each. */
const BEFORE: Record<LineChange['state'], string> = {
  ready: 'none',
  shipped: 'ready',
  delivered: 'shipped',
  returned: 'shipped',
}

/**
 * A repeat changes nothing, except that the carrier of a shipped line can be corrected. The units of a returned line go back
 * to the stock; if the fan has withdrawn from it, it is refunded. A shipped line can still arrive or be returned after its order is
 * refunded.
 */
export async function changeLine(
  tx: Transaction,
  orderId: string,
  number: number,
  change: LineChange,
  payOut: (orderId: string) => void = () => {},
): Promise<void> {
  const found = await findOrder(tx, orderId)
  if (!found) throw new DomainError(shopProblems.order_not_found)
  const fan = await lockFan(tx, found.userId)
  await lockToCount(tx, found.userId)
  const lines = await readLines(tx, orderId)
  if (change.state === 'returned') await lockStock(tx, lines)
  const [order, line] = [await findOrder(tx, orderId), lines.find(line => line.number === number)]
  if (!order || !line) throw new DomainError(shopProblems.order_not_found)
  const { state, carrier = null } = change
  // A tracking number reveals the address of the fan, which an erasure deletes.
  const tracking = fan ? (change.tracking ?? null) : null
  const shipping = state === 'shipped' ? { carrier, tracking } : {}
  const isRepeat = line.state === state
  if (isRepeat && (state !== 'shipped' || (line.carrier === carrier && line.tracking === tracking))) return
  if (!isRepeat && !mayBecome(order, line, state)) throw notAllowed(order, line)
  const isSold = state !== 'returned' && line.isSold
  const arrival = state === 'delivered' && !isRepeat ? { deliveredAt: tx.now() } : {}
  const [changed] = await updateLine(tx, orderId, number, { ...shipping, ...arrival, state, isSold })
  if (!changed) throw new Error('a line vanished while its order was locked')
  // The parcel of an erased fan may still be on its way, but no event is recorded for that fan.
  if (fan) await recordLine(tx, order, changed)
  if (line.isSold && !isSold) changeSold(tx, [{ ...line, by: -line.quantity }])
  if (state !== 'returned' || isRepeat || changed.withdrawnAt === null || order.status !== 'completed') return
  await refundUnits(tx, orderId, [{ line: changed, units: line.quantity }], {
    tells: fan !== undefined,
    payOut,
  })
}

function mayBecome(order: OrderRow, line: LineRow, state: LineChange['state']): boolean {
  // A withdrawn line comes back after it has arrived, too.
  const comesBack = state === 'returned' && line.state === 'delivered' && line.withdrawnAt !== null
  if (line.kind !== 'physical' || (line.state !== BEFORE[state] && !comesBack)) return false
  return order.status === 'completed' || line.state === 'shipped' || comesBack
}

const notAllowed = (order: OrderRow, line: LineRow) =>
  new DomainError(shopProblems.line_state_not_allowed, {
    detail: `The line is ${line.state}, of the kind ${line.kind}; its order is ${order.status === 'completed' ? 'paid' : order.status}.`,
  })
