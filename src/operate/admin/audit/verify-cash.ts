/** Recomputes cash: the chains, what is held, promotions, and the entries of holds and top-ups. */
import { and, asc, inArray, isNotNull, or } from 'drizzle-orm'
import type { Reader, Tables } from '../../../../db/index.ts'
import { isListed, toList } from '../../../../db/listed.ts'
import type { CashReason } from '../../../economy/cash/reasons.ts'
import { GENESIS_HASH } from '../../../economy/points/hash.ts'
import { type Finding, findChainFlaw } from './audit-fan.ts'
import { inRange, type Range } from './stored-fans.ts'

type EntryRow = Tables['cashEntries']['$inferSelect']
type HoldRow = Tables['cashHolds']['$inferSelect']
type TopUpRow = Tables['topUps']['$inferSelect']

/**
 * Of the fans of a range. Holds and top-ups of a fan who was merged have moved, and their entries have not: the records of such a fan are
 * checked together, and by the fan. Concurrent writes may explain findings of more than one statement: see `Database.snapshot`.
 */
export async function findWrongCash(reader: Reader, range: Range): Promise<Finding[]> {
  const groups = await readMergedGroups(reader, range)
  const members = new Set(groups.flatMap(({ records }) => records))
  const findings = await findWrongOf(reader, range, new Map())
  const alone = findings.filter(({ userId }) => userId === null || !members.has(userId))
  for (const { fanId, records, isAsked } of groups) {
    if (!isAsked) continue
    const fanOf = new Map(records.map(record => [record, fanId]))
    alone.push(...(await findWrongOf(reader, { among: records }, fanOf)))
  }
  return alone
}

/** The records of each fan who was merged or into whom others were; asked for is who is in the range. */
async function readMergedGroups(reader: Reader, range: Range) {
  const { users } = reader.tables
  const { id, mergedIntoId } = users
  const rows = await reader
    .select({ id, mergedIntoId })
    .from(users)
    .where(and(isNotNull(mergedIntoId), or(inRange(id, range), inRange(mergedIntoId, range))))
  const fans = [...new Set(rows.flatMap(row => row.mergedIntoId ?? []))]
  if (fans.length === 0) return []
  const all = await reader.select({ id, mergedIntoId }).from(users).where(inArray(mergedIntoId, fans))
  const asked = await reader
    .select({ id })
    .from(users)
    .where(and(inArray(id, fans), inRange(id, range)))
  const isAsked = new Set(asked.map(row => row.id))
  return fans.map(fanId => ({
    fanId,
    records: [fanId, ...all.filter(row => row.mergedIntoId === fanId).map(row => row.id)],
    isAsked: 'only' in range || isAsked.has(fanId),
  }))
}

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

  const findings: Finding[] = []
  const chains = Map.groupBy(entries, nameOf)
  const heldBy = new Map<string, number>()
  for (const hold of holds)
    if (hold.state === 'held') heldBy.set(nameOf(hold), (heldBy.get(nameOf(hold)) ?? 0) + hold.amount)
  for (const account of accounts) {
    const { userId, currency } = account
    const chain = chains.get(nameOf(account)) ?? []
    chains.delete(nameOf(account))
    const { flaw, ...head } = followChain(userId, chain)
    if (flaw) findings.push(flaw)
    const expected = { ...head, held: heldBy.get(nameOf(account)) ?? 0 }
    for (const column of ['balance', 'seq', 'headHash', 'held'] as const)
      if (!flaw && expected[column] !== account[column])
        findings.push({
          ...{ userId, what: `cash_accounts.${COLUMNS[column]} in ${currency}` },
          ...{ expected: expected[column], actual: account[column] },
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

  // Two records carry over to a third one under one reference.
  const merges = entries.filter(isCarried)
  const booked = new Map(
    entries
      .filter(entry => !isCarried(entry))
      .map(entry => [causeOf(entry.userId, entry.reason, entry.ref), entry]),
  )
  /** What an entry must book; 0 for none. */
  function check(of: { userId: string; currency: string }, reason: CashReason, ref: string, delta: number) {
    const cause = causeOf(of.userId, reason, ref)
    const entry = booked.get(cause)
    booked.delete(cause)
    const actual = entry?.currency === of.currency ? entry.delta : 0
    if (actual !== delta)
      findings.push({
        ...{ userId: of.userId, what: `cash_entries.delta of ${reason} ${ref}`, expected: delta, actual },
        ...(entry ? { seq: entry.seq } : {}),
      })
  }
  for (const hold of holds) checkHold(hold, check)
  for (const topUp of bought) checkTopUp(topUp, check)
  for (const promotion of promotions) {
    const { userId, currency, ref, amount, remaining } = promotion
    check(promotion, 'promotion', ref, amount)
    let left = amount
    for (const part of parts.get(ref) ?? []) if (part.isTaken) left -= part.amount
    for (const [cause, entry] of booked) {
      const isEnd = entry.reason === 'promotion_ended' && entry.currency === currency
      if ((fanOf.get(entry.userId) ?? entry.userId) !== (fanOf.get(userId) ?? userId) || !isEnd) continue
      if (entry.ref !== ref && !entry.ref.startsWith(`${ref}:`)) continue
      left += entry.delta
      booked.delete(cause)
    }
    if (left !== remaining)
      findings.push({
        ...{ userId, what: `cash_promotions.remaining of ${ref}`, expected: left, actual: remaining },
      })
  }
  // What one record has carried over, another one has got.
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

/** Parts of promotions by `ref`, and whether they are held or spent. */
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

/** The head after the entries, or the first entry that does not follow from those before. */
function followChain(userId: string, chain: EntryRow[]) {
  let head = { balance: 0, seq: 0, headHash: GENESIS_HASH }
  for (const entry of chain) {
    const flaw = findChainFlaw(head, entry)
    if (flaw)
      return { ...head, flaw: { userId, ...flaw, what: `cash_entries.${flaw.what} in ${entry.currency}` } }
    head = { balance: entry.balanceAfter, seq: entry.seq, headHash: entry.hash }
  }
  return { ...head, flaw: undefined }
}

type Check = (
  of: { userId: string; currency: string },
  reason: CashReason,
  ref: string,
  delta: number,
) => void

function checkHold(hold: HoldRow, check: Check): void {
  const { state, purchaseId, amount } = hold
  const isCaptured = state === 'captured' || state === 'refunded'
  check(hold, 'payment', purchaseId, isCaptured ? -amount : 0)
  check(hold, 'refund', purchaseId, state === 'refunded' ? amount : 0)
}

function checkTopUp({ id, userId, status, priceAmount, priceCurrency, completedAt }: TopUpRow, check: Check) {
  const of = { userId, currency: priceCurrency }
  const isPaidOut = status === 'refund_due' || status === 'refunded'
  check(of, 'top_up', id, completedAt ? priceAmount : 0)
  check(of, 'top_up_refund', id, isPaidOut && completedAt ? -priceAmount : 0)
}
