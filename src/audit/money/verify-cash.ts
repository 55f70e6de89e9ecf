/** Recomputes cash: the chains, held amounts, promotions, and the entries of holds and top-ups. */
import { asc } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { differs, differsInTime, type Finding } from '../../core/finding.ts'
import type { CashReason } from '../../economy/cash/reasons.ts'
import { followChain } from '../../economy/ledgers/chain.ts'
import { byMergedFans } from '../coverage/merged-fans.ts'

type EntryRow = Tables['cashEntries']['$inferSelect']
type HoldRow = Tables['cashHolds']['$inferSelect']
type RefundRow = Tables['orderRefunds']['$inferSelect']
type TopUpRow = Tables['topUps']['$inferSelect']

/**
 * Checks the fans of a range. A merge moves holds and top-ups but not their entries, so all records of a merged person are
 * checked together. The check takes several statements: outside a snapshot (`Database.snapshot`), concurrent writes may
 * cause findings.
 */
export const findWrongCash = (reader: Reader, range: Range): Promise<Finding[]> =>
  byMergedFans(reader, range, (some, fanOf) => findWrongOf(reader, some, fanOf))

/** `fanOf`: the fan of each merged record. */
async function findWrongOf(reader: Reader, range: Range, fanOf: Map<string, string>): Promise<Finding[]> {
  const causeOf = (userId: string, reason: string, ref: string) =>
    JSON.stringify([fanOf.get(userId) ?? userId, reason, ref])
  const { cashAccounts, cashEntries, cashHolds, cashPromotions, topUps } = reader.tables
  const accounts = await reader.select().from(cashAccounts).where(inRange(cashAccounts.userId, range))
  const entries = await reader
    .select()
    .from(cashEntries)
    .where(inRange(cashEntries.userId, range))
    .orderBy(asc(cashEntries.seq))
  const holds = await reader.select().from(cashHolds).where(inRange(cashHolds.userId, range))
  const promotions = await reader.select().from(cashPromotions).where(inRange(cashPromotions.userId, range))
  const bought = await reader.select().from(topUps).where(inRange(topUps.userId, range))
  const parts = await readParts(reader, holds)
  const refunds = await readRefunds(reader, holds)

  const findings: Finding[] = []
  const chains = Map.groupBy(entries, nameOf)
  const heldBy = new Map<string, number>()
  for (const hold of holds)
    if (hold.state === 'held') heldBy.set(nameOf(hold), (heldBy.get(nameOf(hold)) ?? 0) + hold.amount)
  for (const account of accounts) {
    const { userId, currency } = account
    const chain = chains.get(nameOf(account)) ?? []
    chains.delete(nameOf(account))
    const { flaw, ...head } = followChain(chain)
    if (flaw) findings.push({ userId, ...flaw, what: `cash_entries.${flaw.what} in ${currency}` })
    const expected = { ...head, held: heldBy.get(nameOf(account)) ?? 0 }
    for (const column of ['balance', 'seq', 'headHash', 'held'] as const)
      if (!flaw && expected[column] !== account[column])
        findings.push({
          userId,
          what: `cash_accounts.${COLUMNS[column]} in ${currency}`,
          expected: expected[column],
          actual: account[column],
        })
  }
  for (const [first] of chains.values())
    if (first)
      findings.push({
        userId: first.userId,
        what: 'cash_accounts.row',
        expected: first.currency,
        actual: null,
      })

  // Two merged records can carry over to a third one under one reference.
  const merges = entries.filter(isCarried)
  const booked = new Map(
    entries
      .filter(entry => !isCarried(entry))
      .map(entry => [causeOf(entry.userId, entry.reason, entry.ref), entry]),
  )
  /** Compares an entry with the expected amount and time; 0 means that there must be no entry. */
  const check: Check = (of, reason, ref, delta, at) => {
    const cause = causeOf(of.userId, reason, ref)
    const entry = booked.get(cause)
    booked.delete(cause)
    const actual = entry?.currency === of.currency ? entry.delta : 0
    if (actual !== delta)
      findings.push({
        userId: of.userId,
        what: `cash_entries.delta of ${reason} ${ref}`,
        expected: delta,
        actual,
        ...(entry ? { seq: entry.seq } : {}),
      })
    else if (entry && at)
      findings.push(
        ...differsInTime(of.userId, `cash_entries.created_at of ${reason} ${ref}`, at, entry.createdAt),
      )
  }
  for (const hold of holds) checkHold(hold, refunds.get(hold.purchaseId) ?? [], check)
  const promoted = new Map<string, number>()
  for (const { purchaseId, amount } of [...parts.values()].flat())
    promoted.set(purchaseId, (promoted.get(purchaseId) ?? 0) + amount)
  for (const { purchaseId, userId, amount } of holds) {
    const part = promoted.get(purchaseId) ?? 0
    if (part > amount)
      findings.push(...differs(userId, `cash_hold_promotions.amount of ${purchaseId}`, amount, part))
  }
  const refundRefs = [...refunds].flatMap(([orderId, some]) => [orderId, ...some.map(({ id }) => id)])
  for (const topUp of bought) checkTopUp(topUp, check)
  for (const promotion of promotions) {
    const { userId, currency, ref, amount, remaining } = promotion
    check(promotion, 'promotion', ref, amount, promotion.createdAt)
    let left = amount
    const taken = parts.get(ref) ?? []
    let isEnded = false
    for (const part of taken) if (part.isTaken) left -= part.amount
    // Expired directly, or at the end of a purchase that held a part of it. A ref may contain a colon.
    const ends = [...taken.map(({ purchaseId }) => purchaseId), ...refundRefs].map(of => `${ref}:${of}`)
    for (const ended of new Set([ref, ...ends])) {
      const cause = causeOf(userId, 'promotion_ended', ended)
      const entry = booked.get(cause)
      if (entry?.currency !== currency) continue
      left += entry.delta
      booked.delete(cause)
      if (ended === ref) isEnded = true
      if (ended === ref)
        findings.push(
          ...differsInTime(userId, `cash_promotions.ended_at of ${ref}`, entry.createdAt, promotion.endedAt),
        )
    }
    findings.push(
      ...differs(userId, `cash_promotions.remaining of ${ref}`, left, remaining),
      ...(isEnded ? [] : differs(userId, `cash_promotions.ended_at of ${ref}`, null, promotion.endedAt)),
    )
  }
  // An amount that one record has carried over must have arrived at another.
  const carried = new Map<string, number>()
  for (const entry of merges) {
    const { userId, reason, ref, delta, currency } = entry
    const other = ref.slice(0, ref.indexOf(':'))
    const [from, into] = reason === 'merge' ? [other, userId] : [userId, other]
    const name = JSON.stringify([from, into, currency])
    carried.set(name, (carried.get(name) ?? 0) + delta)
  }
  for (const [name, sum] of carried)
    if (sum !== 0) {
      const [from = null, into] = JSON.parse(name)
      findings.push({ userId: from, what: `cash_entries.delta of merge ${into}`, expected: 0, actual: sum })
    }
  const unexplained = [...booked.values(), ...merges.filter(({ userId }) => !fanOf.has(userId))]
  for (const { userId, reason, ref, seq, delta } of unexplained)
    findings.push({ userId, what: `cash_entries.delta of ${reason} ${ref}`, seq, expected: 0, actual: delta })
  return findings
}

const isCarried = ({ reason }: EntryRow) => reason === 'merge' || reason === 'merged'

const COLUMNS = { balance: 'balance', seq: 'seq', headHash: 'head_hash', held: 'held' } as const

const nameOf = ({ userId, currency }: { userId: string; currency: string }) => `${userId} ${currency}`

/** The parts of promotions in holds by `ref`, and whether they are held or spent. */
async function readParts(reader: Reader, holds: HoldRow[]) {
  const { cashHoldPromotions } = reader.tables
  const taken = new Set(
    holds.flatMap(({ purchaseId, state }) => (state === 'held' || state === 'captured' ? [purchaseId] : [])),
  )
  const ids = holds.map(({ purchaseId }) => purchaseId)
  const rows = await reader
    .select()
    .from(cashHoldPromotions)
    .where(isListed(reader, cashHoldPromotions.purchaseId, toList(ids)))
  return Map.groupBy(
    rows.map(row => ({ ...row, isTaken: taken.has(row.purchaseId) })),
    ({ ref }) => ref,
  )
}

type Check = (
  of: { userId: string; currency: string },
  reason: CashReason,
  ref: string,
  delta: number,
  at?: Date | null,
) => void

/** Refunds of parts by purchase. */
async function readRefunds(reader: Reader, holds: HoldRow[]) {
  const { orderRefunds } = reader.tables
  const rows = await reader
    .select()
    .from(orderRefunds)
    .where(isListed(reader, orderRefunds.orderId, toList(holds.map(({ purchaseId }) => purchaseId))))
    .orderBy(asc(orderRefunds.id))
  return Map.groupBy(rows, ({ orderId }) => orderId)
}

function checkHold(hold: HoldRow, refunds: RefundRow[], check: Check): void {
  const { state, purchaseId, amount, settledAt } = hold
  const isCaptured = state === 'captured' || state === 'refunded'
  const isRefunded = state === 'refunded'
  check(hold, 'payment', purchaseId, isCaptured ? -amount : 0, isRefunded ? null : settledAt)
  const ofCash = refunds.filter(() => isCaptured)
  const given = ofCash.reduce((sum, part) => sum + part.amount, 0)
  for (const part of ofCash) check(hold, 'refund', part.id, part.amount, part.createdAt)
  check(hold, 'refund', purchaseId, isRefunded ? amount - given : 0, settledAt)
}

function checkTopUp({ id, userId, status, priceAmount, priceCurrency, completedAt }: TopUpRow, check: Check) {
  const of = { userId, currency: priceCurrency }
  const isPaidOut = status === 'refund_due' || status === 'refunded'
  check(of, 'top_up', id, completedAt ? priceAmount : 0, completedAt)
  check(of, 'top_up_refund', id, isPaidOut && completedAt ? -priceAmount : 0)
}
