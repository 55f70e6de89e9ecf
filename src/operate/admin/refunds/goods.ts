/** What was bought by a purchase that is refunded, and what becomes of it, by kind. */
import type { Reader } from '../../../../db/index.ts'
import { packPurchaseKind } from '../../../play/packs/purchase-kind.ts'
import { findPurchase, findUserPackOf } from '../../../play/packs/purchases.ts'
import type { PurchaseKind } from '../../../play/purchases/kind.ts'
import type { Purchase } from '../../../play/purchases/purchase.ts'
import { orderKind } from '../../../play/shop/order-kind.ts'
import { type LineRow, readLines } from '../../../play/shop/order-rows.ts'
import { topUpKind } from '../../../play/top-ups/top-up-kind.ts'

/** What can be bought. */
export const KINDS: readonly PurchaseKind[] = [packPurchaseKind, orderKind, topUpKind]

export interface Goods {
  /** For the JSON document of `bun run refund`. */
  members: object
  /** What becomes of each item, in words. */
  consequences: { item: string; consequence: string }[]
  /** Whether a refund would return all of it to the stock. */
  supplyReturned: boolean
}

export async function goodsOf(reader: Reader, { name }: PurchaseKind, { id }: Purchase): Promise<Goods> {
  if (name === 'top_up')
    return {
      members: {},
      supplyReturned: false,
      consequences: [
        { item: 'cash', consequence: 'taken from the balance of the fan, if all of it is left' },
      ],
    }
  return name === 'pack' ? packOf(reader, id) : linesOf(reader, id)
}

async function packOf(reader: Reader, id: string): Promise<Goods> {
  const purchase = await findPurchase(reader, id)
  const pack = await findUserPackOf(reader, id)
  const opened = pack ? pack.openedAt !== null : false
  const consequence = opened ? 'opened: stays with the fan' : 'sealed: taken back and returned to the supply'
  return {
    members: { packId: purchase?.packId, opened },
    consequences: [
      { item: 'pack', consequence: `${purchase?.packId}, ${pack ? consequence : 'never delivered'}` },
    ],
    supplyReturned: pack !== undefined && !opened,
  }
}

async function linesOf(reader: Reader, id: string): Promise<Goods> {
  const lines = await readLines(reader, id)
  const summaries = lines.map(({ number, productId, variantId, quantity, kind, state }) => ({
    number,
    productId,
    variantId,
    quantity,
    kind,
    state,
  }))
  const inWords = (line: LineRow) => ({
    item: `line ${line.number}`,
    consequence: `${line.quantity} × ${line.productId} ${line.variantId}, ${consequenceOf(line)}`,
  })
  return {
    members: { lines: summaries },
    consequences: lines.map(inWords),
    supplyReturned: lines.every(line => line.isSold && isUnsent(line)),
  }
}

const isUnsent = ({ state }: LineRow) => state === 'none' || state === 'ready'

function consequenceOf(line: LineRow): string {
  if (!line.isSold) return line.state === 'returned' ? 'returned before' : 'never delivered'
  if (isUnsent(line)) return 'not shipped: returned to the stock'
  if (line.kind === 'physical') return `${line.state}: stays with the fan until it comes back`
  return 'delivered: what was not used is taken back'
}

export function describeGoods({ name }: PurchaseKind, supplyReturned: boolean): string {
  if (name === 'top_up') return 'the cash was taken from the balance of the fan'
  if (name === 'pack')
    return supplyReturned ? 'the pack was returned to the supply' : 'no pack was returned to the supply'
  return supplyReturned ? 'all lines were returned to the stock' : 'not all lines were returned to the stock'
}
