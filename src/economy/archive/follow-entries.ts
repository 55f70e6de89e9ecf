/** Follows the chain of a fan's entries from where the archived past ends. */

import { type ChainedEntry, followChain } from '../ledgers/chain.ts'
import { earnedBy, type PointsReason } from '../ledgers/reasons.ts'
import { NEW_ACCOUNT } from '../points/account.ts'
import type { Seam } from '../points/seams.ts'

type Start = Pick<Seam, 'seq' | 'balance' | 'hash' | 'lifetime'>

/** The account after the entries up to `upTo`, or before the first one that does not follow from the previous ones, with its flaw. */
export function followEntries(
  entries: ChainedEntry[],
  previous: Start | null | undefined,
  upTo = Number.POSITIVE_INFINITY,
) {
  const { seq: start, balance, hash: headHash } = previous ?? { ...NEW_ACCOUNT, hash: NEW_ACCOUNT.headHash }
  // An entry that an earlier archive has kept is part of the chain there.
  const own = entries.filter(({ seq }) => seq > start && seq <= upTo)
  const { flaw, ...head } = followChain(own, { from: { seq: start, balance, headHash } })
  let lifetime = previous?.lifetime ?? 0
  // Guarantee of the cast: only the ledger gives entries their reason.
  for (const { delta, reason } of own.slice(0, head.seq - start))
    lifetime += earnedBy({ delta, reason: reason as PointsReason })
  return { flaw, seq: head.seq, hash: head.headHash, balance: head.balance, lifetime }
}
