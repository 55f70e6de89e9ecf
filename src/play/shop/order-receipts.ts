/** Receipts of orders, and credit notes of the units that are refunded. */
import type { Transaction } from '../../../db/index.ts'
import { statedTexts, type Text } from '../../club/catalogue/texts.ts'
import { addReceipts, type CreditedUnits, draftReceipt, type PaidLine } from '../purchases/receipts.ts'
import type { LineRow, OrderRow } from './order-rows.ts'
import { paidByLine, paidForUnits } from './paid-amounts.ts'

/** Of an order that was just paid. `names`: of the lines, in the same order. */
export const issueReceipt = (tx: Transaction, order: OrderRow, lines: LineRow[], names: LineNames[]): void =>
  addReceipts(tx, [receiptOf(order, lines, names, tx.now())])

/** The names of what a line buys. */
interface LineNames {
  product: Named
  variant: Named
}
interface Named {
  name: string
  translations: string | null
}

/** `names`: of the lines, in the same order. */
export function receiptOf(order: OrderRow, lines: LineRow[], names: LineNames[], createdAt: Date) {
  const paid = paidByLine(lines, order.discountAmount)
  const billed = lines.map(({ number, quantity, taxMillionths }, index): PaidLine => {
    const [{ product, variant } = UNNAMED, gross = 0] = [names[index], paid[index]]
    return { number, name: nameOf(product), variant: nameOf(variant), quantity, taxMillionths, gross }
  })
  return draftReceipt(order, { purchaseKind: 'order', lines: billed, createdAt })
}

const NONE: Named = { name: '', translations: null }
const UNNAMED: LineNames = { product: NONE, variant: NONE }

/** In each of its languages. */
const nameOf = ({ name, translations }: Named): Text => statedTexts({ name, translations }).name

/** What was paid for the units of each line that are refunded now. `lines`: as they are after it. */
export function creditedUnits(
  { discountAmount }: OrderRow,
  lines: LineRow[],
  returned: { line: LineRow; units: number }[],
): CreditedUnits[] {
  const paid = paidByLine(lines, discountAmount)
  return lines.flatMap(({ number, quantity, refundedUnits }, index) => {
    const units = returned.find(({ line }) => line.number === number)?.units ?? 0
    if (units === 0) return []
    const upTo = (count: number) => paidForUnits(paid[index] ?? 0, quantity, count)
    return { number, units, before: upTo(refundedUnits - units), after: upTo(refundedUnits) }
  })
}
