/** Recomputes the ledgers of fans in accounts: the chains, totals of the stored windows, and tiers. */
import { asc } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { differs, differsInTime, type Finding } from '../../core/finding.ts'
import { findChainFlaw, followChain } from '../ledgers/chain.ts'
import { grantReasonOf, voidReasonOf } from '../ledgers/reasons.ts'
import { type Account, basisOf, getAccountSet } from './account-set.ts'
import { tierNamed, tierOf } from './tiers.ts'

type EntryRow = Tables['accountEntries']['$inferSelect']
type FanAccount = Tables['fanAccounts']['$inferSelect']

const nameOf = ({ userId, accountId }: { userId: string; accountId: string }) => `${userId} ${accountId}`

/** Several statements: outside a snapshot, concurrent writes may cause findings. */
export async function findWrongAccounts(reader: Reader, range: Range): Promise<Finding[]> {
  const { accountEntries, fanAccounts } = reader.tables
  const entries = await reader
    .select()
    .from(accountEntries)
    .where(inRange(accountEntries.userId, range))
    .orderBy(asc(accountEntries.seq))
  const rows = await reader.select().from(fanAccounts).where(inRange(fanAccounts.userId, range))
  const chains = Map.groupBy(entries, nameOf)
  const set = await getAccountSet(reader)
  const findings: Finding[] = []
  for (const row of rows) {
    const chain = chains.get(nameOf(row)) ?? []
    chains.delete(nameOf(row))
    findings.push(...auditRow(row, chain, set.accounts.get(row.accountId)))
  }
  for (const [first] of chains.values())
    if (first)
      findings.push({
        userId: first.userId,
        what: 'fan_accounts.row',
        expected: first.accountId,
        actual: null,
      })
  return findings
}

function auditRow(row: FanAccount, chain: EntryRow[], account: Account | undefined): Finding[] {
  const { userId, accountId } = row
  const what = (column: string) => `fan_accounts.${column} in ${accountId}`
  const { flaw, ...head } = followChain(chain, {
    flawOf: (before, entry) => findChainFlaw(before, entry) ?? findWrongVoid(entry, chain),
  })
  if (flaw) return [{ userId, ...flaw, what: `account_entries.${flaw.what}` }]
  const { windowFrom: from } = row
  const counted = chain.filter(({ countedAt }) => from === null || countedAt >= from)
  const total = counted.reduce((sum, { delta }) => sum + delta, 0)
  const taken = new Map(chain.map(({ reason, ref, delta }) => [`${reason} ${ref}`, delta]))
  const remains = ({ reason, ref, delta }: EntryRow) => delta + (taken.get(`${reason}_void ${ref}`) ?? 0) > 0
  const reachedAt = counted.filter(entry => entry.delta > 0 && remains(entry)).at(-1)?.createdAt
  return [
    ...differs(userId, what('balance'), head.balance, row.balance),
    ...differs(userId, what('seq'), head.seq, row.seq),
    ...differs(userId, what('head_hash'), head.headHash, row.headHash),
    ...differs(userId, what('minus_total'), total === 0 ? 0 : -total, row.minusTotal),
    ...(reachedAt ? differsInTime(userId, what('reached_at'), reachedAt, row.reachedAt) : []),
    ...(account ? auditTier(row, account, total) : []),
  ]
}

/** What an entry takes back is an earlier one, in its season. */
function findWrongVoid({ reason, ref, seq, countedAt }: EntryRow, chain: EntryRow[]) {
  const granted = grantReasonOf(reason)
  if (!granted) return undefined
  const grant = chain.find(entry => entry.reason === granted && entry.ref === ref && entry.seq < seq)
  if (!grant)
    return { what: 'ref', seq, expected: `that of an entry before a ${voidReasonOf(granted)}`, actual: ref }
  const [expected, actual] = [grant.countedAt.toISOString(), countedAt.toISOString()]
  return expected === actual ? undefined : { what: 'counted_at', seq, expected, actual }
}

function auditTier(row: FanAccount, account: Account, total: number): Finding[] {
  const { userId, accountId, tierId, tierUntil } = row
  // Another basis is brought up to date by a task.
  if (row.basis !== basisOf(account, row.windowFrom)) return []
  const [earned, held] = [tierOf(account, total), tierNamed(account, tierId)]
  const what = `fan_accounts.tier_id in ${accountId}`
  if (tierUntil === null || (earned?.from ?? 0) >= (held?.from ?? 0))
    return differs(userId, what, earned?.id ?? '', tierId ?? '')
  return []
}
