/**
 * Cash that the club gives. It is spent before money that the fan has paid, and can expire; paid money never
 * expires.
 */
import { and, eq, gt } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { DomainError } from '../../core/problems.ts'
import { pointsProblems } from '../points/problems.ts'
import { type CashKey, type CashLedger, lockCash } from './ledger.ts'

export type Promotion = Tables['cashPromotions']['$inferSelect']

export interface NewPromotion extends CashKey {
  /** Minor units. */
  amount: number
  /** Names the promotion, over all fans. */
  ref: string
  source: string
  expiresAt: Date | null
  note: string | null
}

/**
 * Gives it once per `ref`. The fan is locked. Whether this call gave it.
 * @throws LedgerMismatchError; DomainError `ref_reused`
 */
export async function givePromotion(tx: Transaction, promotion: NewPromotion): Promise<boolean> {
  const { ref, userId, currency, amount, expiresAt } = promotion
  const ledger = await lockCash(tx, { userId, currency })
  const row = { ...promotion, remaining: amount, endedAt: null, createdAt: tx.now() }
  if ((await insertOnce(tx, row)).length > 0) {
    await ledger.append({ delta: amount, reason: 'promotion', ref })
    return true
  }
  const before = await findPromotion(tx, ref)
  const isSame =
    before?.userId === userId &&
    before.currency === currency &&
    before.amount === amount &&
    before.expiresAt?.getTime() === expiresAt?.getTime()
  if (!isSame) throw new DomainError(pointsProblems.ref_reused)
  return false
}

const insertOnce = prepared((tx: Transaction, promotion: Promotion) =>
  tx
    .insert(tx.tables.cashPromotions)
    .values(promotion)
    .onConflictDoNothing()
    .returning({ ref: tx.tables.cashPromotions.ref }),
)

const findPromotion = preparedRow((reader: Reader, ref: string) => {
  const { cashPromotions } = reader.tables
  return reader.select().from(cashPromotions).where(eq(cashPromotions.ref, ref))
})

/** Promotions with an unspent rest, the one that ends first before the others. Books expired ones. `promotions`: of `selectUnspent`. */
export async function openPromotions(
  tx: Transaction,
  ledger: CashLedger,
  promotions: Promotion[],
): Promise<Promotion[]> {
  const now = tx.clock()
  const ended = promotions.filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now)
  for (const { ref, remaining } of ended) {
    await setRemaining(tx, ref, 0, now)
    await ledger.append({ delta: -remaining, reason: 'promotion_ended', ref })
  }
  return promotions.filter(promotion => !ended.includes(promotion)).toSorted(byEnd)
}

const byEnd = (a: Promotion, b: Promotion) =>
  (a.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) -
    (b.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) ||
  a.createdAt.getTime() - b.createdAt.getTime() ||
  (a.ref < b.ref ? -1 : 1)

export const selectUnspent = prepared((reader: Reader, userId: string, currency: string) => {
  const { cashPromotions: promotions } = reader.tables
  return reader
    .select()
    .from(promotions)
    .where(and(eq(promotions.userId, userId), eq(promotions.currency, currency), gt(promotions.remaining, 0)))
})

const setRemaining = prepared((tx: Transaction, ref: string, remaining: number, endedAt: Date | null) => {
  const { cashPromotions } = tx.tables
  return tx.update(cashPromotions).set({ remaining, endedAt }).where(eq(cashPromotions.ref, ref))
})

/** Takes the amount of the hold from these promotions, as far as they suffice. */
export async function takePromotions(
  tx: Transaction,
  promotions: Promotion[],
  { purchaseId, amount }: { purchaseId: string; amount: number },
): Promise<void> {
  let needed = amount
  for (const { ref, remaining } of promotions) {
    if (needed === 0) return
    const part = Math.min(remaining, needed)
    needed -= part
    await setRemaining(tx, ref, remaining - part, null)
    await tx.insert(tx.tables.cashHoldPromotions).values({ purchaseId, ref, amount: part })
  }
}

/**
 * Returns the amounts that a hold took from promotions. The part of a promotion that has ended is not
 * returned.
 */
export async function returnPromotions(
  tx: Transaction,
  ledger: CashLedger,
  purchaseId: string,
): Promise<void> {
  const now = tx.clock()
  for (const { part, promotion } of await selectParts(tx, purchaseId)) {
    const { ref, expiresAt, endedAt } = promotion
    if (endedAt !== null || (expiresAt !== null && expiresAt <= now))
      await ledger.append({ delta: -part.amount, reason: 'promotion_ended', ref: `${ref}:${purchaseId}` })
    else await setRemaining(tx, ref, promotion.remaining + part.amount, null)
  }
}

/** Returns what a hold took from promotions and is more than what stays paid. `ref`: of the refund. */
export async function returnPartOfPromotions(
  tx: Transaction,
  ledger: CashLedger,
  purchaseId: string,
  { ref: refundRef, left }: { ref: string; left: number },
): Promise<void> {
  const { cashHoldPromotions: parts } = tx.tables
  const now = tx.clock()
  const taken = await selectParts(tx, purchaseId)
  let excess = taken.reduce((sum, { part }) => sum + part.amount, 0) - left
  for (const { part, promotion } of taken.toSorted((a, b) => -byEnd(a.promotion, b.promotion))) {
    const amount = Math.min(part.amount, Math.max(0, excess))
    if (amount === 0) return
    excess -= amount
    const { ref, expiresAt, endedAt } = promotion
    if (endedAt !== null || (expiresAt !== null && expiresAt <= now))
      await ledger.append({ delta: -amount, reason: 'promotion_ended', ref: `${ref}:${refundRef}` })
    else await setRemaining(tx, ref, promotion.remaining + amount, null)
    const isPart = and(eq(parts.purchaseId, purchaseId), eq(parts.ref, ref))
    if (amount === part.amount) await tx.delete(parts).where(isPart)
    else
      await tx
        .update(parts)
        .set({ amount: part.amount - amount })
        .where(isPart)
  }
}

const selectParts = prepared((reader: Reader, purchaseId: string) => {
  const { cashHoldPromotions: parts, cashPromotions: promotions } = reader.tables
  return reader
    .select({ part: parts, promotion: promotions })
    .from(parts)
    .innerJoin(promotions, eq(promotions.ref, parts.ref))
    .where(eq(parts.purchaseId, purchaseId))
})

/** What is left of promotions. */
export const sumPromotions = (promotions: Promotion[]) =>
  promotions.reduce((sum, { remaining }) => sum + remaining, 0)
