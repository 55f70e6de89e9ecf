/** The purchase of a pack as a kind of purchase: its stock is the supply of the pack, and it delivers a sealed pack. */

import { and, eq, isNull } from 'drizzle-orm'
import { isUniqueViolation, type Reader, type Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { statedTexts } from '../../club/catalogue/texts.ts'
import { DomainError } from '../../core/problems.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { voidLatest } from '../../economy/events/void-latest.ts'
import type { PurchaseKind } from '../purchases/kind.ts'
import { usedBefore } from '../purchases/means.ts'
import { purchaseProblems } from '../purchases/problems.ts'
import { needsMoney } from '../purchases/purchase.ts'
import { addReceipts, creditRest, draftReceipt } from '../purchases/receipts.ts'
import { isSpent, type Spending, sumOf } from '../purchases/spent.ts'
import type { PackRow } from './packs.ts'
import { type PurchaseRow, presentPurchase, type UserPackRow } from './present.ts'
import { packProblems } from './problems.ts'
import { findPurchase, findUserPackOf, listRefundsDue, updatePurchase } from './purchases.ts'
import { changeSold, countFree, countUnsold, type LockedPack, lockLimitedPack, lockPack } from './supply.ts'

export const packPurchaseKind: PurchaseKind<PurchaseRow, LockedPack, ReturnType<typeof presentPurchase>> = {
  name: 'pack',
  noun: 'purchase',
  completedAs: 'completed',
  reasons: { paid: 'pack_purchase', refunded: 'pack_refund' },
  completion: { event: 'purchase.completed', member: 'purchaseId' },
  inStores: true,
  problems: {
    notFound: purchaseProblems.purchase_not_found,
    expired: packProblems.purchase_expired,
    notPending: packProblems.purchase_not_pending,
  },

  find: findPurchase,
  async update(tx, { id }, status, changes) {
    const [row] = await writeOnce(() => updatePurchase(tx, id, status, changes))
    return row
  },
  sumSpent: async (reader, spending) => (await sumSpent(reader, spending))?.amount ?? 0,
  listRefundsDue,

  lock: (tx, { packId }, which) => (which === 'limited' ? lockLimitedPack : lockPack)(tx, packId),
  async findBlocker(tx, _purchase, { pack, now }, late) {
    const left = late ? await countFree(tx, pack, now) : countUnsold(pack)
    return left >= 1 ? null : new DomainError(packProblems.sold_out)
  },

  async deliver(tx, purchase) {
    const { id: purchaseId, packId, userId } = purchase
    const createdAt = purchase.completedAt ?? tx.now()
    changeSold(tx, packId, 1)
    const userPack: UserPackRow = { id: tx.newId(), purchaseId, packId, userId, createdAt, ...SEALED }
    await insertUserPack(tx, userPack)
    const data = { ...saleOf(purchase), userPackId: userPack.id }
    await recordEvent(tx, { userId, type: 'purchase.completed', data })
    if (needsMoney(purchase)) await issueReceipt(tx, purchase)
    return presentPurchase(purchase, userPack, createdAt)
  },
  readResult: async (tx, purchase) =>
    presentPurchase(purchase, await findUserPackOf(tx, purchase.id), tx.now()),

  // The pending purchase itself is the hold, so the change of status has ended it.
  async release() {},
  async recordRefundDue() {},
  /**
   * Revokes a sealed pack and returns it to the supply. If the pack is opened, the fan keeps its items but loses the points
   * that the opening earned.
   */
  async takeBack(tx, { id, packId, userId }) {
    const { userPacks } = tx.tables
    const [revoked] = await tx
      .update(userPacks)
      .set({ revokedAt: tx.now() })
      .where(and(eq(userPacks.purchaseId, id), isNull(userPacks.openedAt), isNull(userPacks.revokedAt)))
      .returning()
    if (revoked) {
      changeSold(tx, packId, -1)
      return true
    }
    const userPack = await findUserPackOf(tx, id)
    if (userPack?.openedAt)
      await voidLatest(tx, { userId, type: 'pack.opened', about: { userPackId: userPack.id } })
    // The pack may already be revoked, if the refund was marked due before.
    return Boolean(userPack?.revokedAt)
  },
  async recordRefund(tx, purchase) {
    await recordEvent(tx, { userId: purchase.userId, type: 'purchase.refunded', data: saleOf(purchase) })
    await creditRest(tx, purchase.id)
  },
  async readGoods(reader, { id, packId }) {
    const pack = await findUserPackOf(reader, id)
    const opened = pack ? pack.openedAt !== null : false
    const consequence = opened
      ? 'opened: stays with the fan'
      : 'sealed: taken back and returned to the supply'
    return {
      members: { packId, opened },
      consequences: [{ item: 'pack', consequence: `${packId}, ${pack ? consequence : 'never delivered'}` }],
      supplyReturned: pack !== undefined && !opened,
    }
  },
  describeReturn: supplyReturned => `${supplyReturned ? 'the' : 'no'} pack was returned to the supply`,
}

async function issueReceipt(tx: Transaction, purchase: PurchaseRow): Promise<void> {
  const [pack] = await selectPackName(tx, purchase.packId)
  if (pack) addReceipts(tx, [receiptOf(purchase, pack, tx.now())])
}

function receiptOf(
  purchase: PurchaseRow,
  { name, translations }: Pick<PackRow, 'name' | 'translations'>,
  createdAt: Date,
) {
  const { priceAmount: gross, taxMillionths } = purchase
  const line = { number: 1, name: statedTexts({ name, translations }).name, variant: null, quantity: 1 }
  return draftReceipt(purchase, {
    purchaseKind: 'pack',
    lines: [{ ...line, taxMillionths, gross }],
    createdAt,
  })
}

const selectPackName = prepared((reader: Reader, packId: string) => {
  const { packs } = reader.tables
  return reader
    .select({ name: packs.name, translations: packs.translations })
    .from(packs)
    .where(eq(packs.id, packId))
})

const SEALED = { openedAt: null, clientSeed: null, seedErasedAt: null, revokedAt: null }

const insertUserPack = prepared((tx: Transaction, userPack: UserPackRow) =>
  tx.insert(tx.tables.userPacks).values(userPack),
)

/** The unique index on references also recognizes payments that are older than the table `payments`. */
async function writeOnce<T>(write: () => PromiseLike<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!isUniqueViolation(error, 'pack_purchases_payment_unique')) throw error
    throw usedBefore()
  }
}

/** A purchase in the data of events. */
export const saleOf = ({ id, packId, priceAmount, priceCurrency }: PurchaseRow) => {
  return { purchaseId: id, packId, price: { amount: priceAmount, currency: priceCurrency } }
}

const sumSpent = preparedRow((reader: Reader, spending: Spending) => {
  const { packPurchases: purchases } = reader.tables
  return reader
    .select({ amount: sumOf(purchases.priceAmount) })
    .from(purchases)
    .where(isSpent(purchases, spending))
})
