/** Grants in accounts, and what is taken back of them, also after merges have carried them over. */

import { type Cause, type Grant, type TakenBack, voidReasonOf } from '../ledgers/reasons.ts'
import type { AccountBook, AccountKey } from './book.ts'

/** The `ref` of the entry that carries another one over. Ids of fans and accounts have no colon. */
export const carriedRefOf = ({ userId, accountId, seq }: AccountKey & { seq: number }) =>
  `${userId}:${accountId}:${seq}`

/** `intoOf`: by the id of a merged fan, the id of the fan that it was merged into. */
export function openAccountGrants(book: AccountBook, intoOf: ReadonlyMap<string, string>) {
  /** Grants in accounts, with those that merges have carried over. */
  async function loadCauses(causes: Cause[]): Promise<void> {
    const found = await book.loadCauses(causes)
    const further = found.flatMap(entry => carriedInAccount(entry) ?? [])
    if (further.length > 0)
      await loadCauses(further.flatMap(grant => [grant, { ...grant, reason: voidReasonOf('merge') }]))
  }

  /** The grant in the account of the remaining fan for one of a merged fan. */
  function carriedInAccount(entry: AccountKey & { seq: number }): Grant | undefined {
    const into = intoOf.get(entry.userId)
    return into === undefined ? undefined : { userId: into, reason: 'merge', ref: carriedRefOf(entry) }
  }

  function takeBack({ userId, reason, ref }: Grant): TakenBack {
    const granted = book.find({ userId, reason, ref })
    if (!granted) return { points: 0, uncollected: 0 }
    const { accountId, countedAt } = granted
    const before = book.find({ userId, reason: voidReasonOf(reason), ref })
    const carriedOn = carriedInAccount(granted)
    const reclaimed = carriedOn && !before ? takeBack(carriedOn).points : 0
    if (carriedOn && reclaimed > 0)
      book.append({
        userId,
        accountId,
        countedAt,
        delta: reclaimed,
        reason: 'merge_reclaimed',
        ref: `${carriedOn.userId}:${carriedOn.ref}`,
      })
    const points = before ? -before.delta : Math.min(granted.delta, book.balanceOf(granted))
    if (!before && points > 0)
      book.append({ userId, accountId, countedAt, delta: -points, reason: voidReasonOf(reason), ref })
    return { points, uncollected: granted.delta - points }
  }

  return { loadCauses, takeBack }
}
