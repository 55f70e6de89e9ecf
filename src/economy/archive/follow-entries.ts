/** Follows the chain of a fan's entries from where the archived past ends. */
import { NEW_ACCOUNT } from '../points/account.ts'
import { type EntryRow, findChainFlaw } from '../points/hash.ts'
import { earnedBy, type PointsReason } from '../points/reasons.ts'
import type { Seam } from '../points/seams.ts'

type Start = Pick<Seam, 'seq' | 'balance' | 'hash' | 'lifetime'>

/** The account after the entries up to `upTo`, or before the first one that does not follow from the previous ones, with its flaw. */
export function followEntries(
  entries: EntryRow[],
  previous: Start | null | undefined,
  upTo = Number.POSITIVE_INFINITY,
) {
  const { seq: start, balance, hash: headHash } = previous ?? { ...NEW_ACCOUNT, hash: NEW_ACCOUNT.headHash }
  let head = { seq: start, balance, headHash }
  let lifetime = previous?.lifetime ?? 0
  let flaw: ReturnType<typeof findChainFlaw>
  for (const entry of entries) {
    // An entry that an earlier archive has kept is part of the chain there.
    if (entry.seq <= start || entry.seq > upTo) continue
    flaw = findChainFlaw(head, entry)
    if (flaw) break
    head = { balance: entry.balanceAfter, seq: entry.seq, headHash: entry.hash }
    // Guarantee of the cast: only the ledger gives entries their reason.
    lifetime += earnedBy({ delta: entry.delta, reason: entry.reason as PointsReason })
  }
  return { flaw, seq: head.seq, hash: head.headHash, balance: head.balance, lifetime }
}
