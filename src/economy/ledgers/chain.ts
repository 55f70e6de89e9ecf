/** The hash chain of a ledger of a fan: of points, of cash, or of an account. It hashes no personal data, so that a chain stays verifiable after its fan is erased. */
import { hash } from 'node:crypto'
import { commandLine } from '../../core/command-line.ts'
import { type Finding, isInstant } from '../../core/finding.ts'

/** The previous hash of a fan's first entry. */
export const GENESIS_HASH = '0'.repeat(64)

/** What the entries of all ledgers have. */
export interface ChainedEntry {
  id: string
  userId: string
  seq: number
  delta: number
  balanceAfter: number
  reason: string
  ref: string
  createdAt: Date
  hash: string
}

/** `currency`: of an entry of cash. `accountId`, `countedAt`: of an entry of an account. */
interface Kept {
  currency?: string
  accountId?: string
  countedAt?: Date
}

type HashedFields = Omit<ChainedEntry, 'hash'> & Kept

/**
 * SHA-256, in lower-case hex, over the JSON array
 * `[previousHash, id, userId, seq, delta, balanceAfter, reason, ref, createdAt]`, without white space, in UTF-8;
 * `createdAt` is ISO 8601 in UTC with milliseconds. That of an entry of cash ends with its `currency`, and that of
 * an account with its `accountId` and `countedAt`.
 */
export function hashEntry(previousHash: string, entry: HashedFields): string {
  const { id, userId, seq, delta, balanceAfter, reason, ref, createdAt } = entry
  const { currency, accountId, countedAt } = entry
  const hashed = [previousHash, id, userId, seq, delta, balanceAfter, reason, ref, createdAt.toISOString()]
  if (currency !== undefined) hashed.push(currency)
  if (accountId !== undefined && countedAt) hashed.push(accountId, countedAt.toISOString())
  return hash('sha256', JSON.stringify(hashed), 'hex')
}

/** The newest entry of a chain, as the account has it. */
export interface ChainHead {
  balance: number
  seq: number
  headHash: string
}

/** The next entry of a chain, and the head after it. */
export function chainEntry<
  Change extends { userId: string; delta: number; reason: string; ref: string } & Kept,
>(head: ChainHead, change: Change, { id, at }: { id: string; at: Date }) {
  const fields = {
    ...change,
    id,
    seq: head.seq + 1,
    balanceAfter: head.balance + change.delta,
    createdAt: at,
  }
  const entry = { ...fields, hash: hashEntry(head.headHash, fields) }
  const { balanceAfter: balance, seq, hash: headHash } = entry
  return { entry, head: { balance, seq, headHash, updatedAt: at } }
}

type ChainFlaw = Omit<Finding, 'userId'>

const EMPTY_HEAD: ChainHead = { balance: 0, seq: 0, headHash: GENESIS_HASH }

/**
 * The column of an entry that does not follow from the previous entry, without the table name; for ledgers of points,
 * cash or accounts.
 */
export function findChainFlaw(head: ChainHead, entry: ChainedEntry & Kept): ChainFlaw | undefined {
  const found = (what: string, expected: Finding['expected'], actual: Finding['actual']) => {
    return { what, seq: head.seq + 1, expected, actual }
  }
  if (entry.seq !== head.seq + 1) return found('seq', head.seq + 1, entry.seq)
  if (!isInstant(entry.createdAt)) return found('created_at', 'an instant', String(entry.createdAt))
  const balance = head.balance + entry.delta
  if (entry.balanceAfter !== balance) return found('balance_after', balance, entry.balanceAfter)
  const hash = hashEntry(head.headHash, entry)
  return entry.hash === hash ? undefined : found('hash', hash, entry.hash)
}

/** The head after all entries, or before the first one with a flaw. `flawOf`: if the ledger has further rules. */
export function followChain<Entry extends ChainedEntry & Kept>(
  entries: readonly Entry[],
  { from = EMPTY_HEAD, flawOf = findChainFlaw }: { from?: ChainHead; flawOf?: FindFlaw<Entry> } = {},
): ChainHead & { flaw: ChainFlaw | undefined } {
  let head = from
  for (const entry of entries) {
    const flaw = flawOf(head, entry)
    if (flaw) return { ...head, flaw }
    head = { balance: entry.balanceAfter, seq: entry.seq, headHash: entry.hash }
  }
  return { ...head, flaw: undefined }
}
type FindFlaw<Entry> = (head: ChainHead, entry: Entry) => ChainFlaw | undefined

/** Whether an account matches its entries. `tail`: those from the account's `seq` on. */
export function isHeadOf({ seq, balance, headHash }: ChainHead, tail: ChainTail): boolean {
  if (seq === 0) return tail.length === 0 && balance === 0 && headHash === GENESIS_HASH
  const [head] = tail
  return tail.length === 1 && head?.seq === seq && head.balanceAfter === balance && head.hash === headHash
}
type ChainTail = { seq: number; balanceAfter: number; hash: string }[]

/** The account does not match the entries: another entry would break the chain. */
export class LedgerMismatchError extends Error {
  constructor(userId: string, of: 'points' | 'cash' = 'points') {
    super(
      `the ${of} account of fan ${userId} does not match their ledger entries; nothing was booked, ` +
        `\`${commandLine('verify-ledger')}\` shows the difference`,
    )
    this.name = 'LedgerMismatchError'
  }
}
