/** Entries of the points ledger in words, for the timeline and for the list of entries. */
import type { Tables } from '../../../../../db/index.ts'
import type { PointsReason } from '../../../../economy/ledgers/reasons.ts'
import { isolate, type Names, type WantedNames } from './names.ts'
import { ofPeriod } from './periods.ts'
import type { Related } from './related.ts'

type Entry = Pick<Tables['pointsEntries']['$inferSelect'], 'reason' | 'ref' | 'delta'>

/** The part of the ref that names the cause: a rule, match, quest or set. Slugs have no colon. */
const causeOf = ({ ref }: Entry) => ref.split(':', 1)[0] ?? ''

/** The period of a quest that repeats. */
const periodOf = ({ ref }: Entry) => ref.split(':')[1]

interface Words {
  title: string
  /** What the ref names. */
  of?: 'rule' | 'match' | 'quest' | 'set' | 'question' | 'purchase' | 'order' | 'redemption'
}

/** A reason without words does not compile; those of a grant are below. */
const REASONS: Record<Exclude<PointsReason, 'adjustment'>, Words> = {
  onboarding: { title: 'Completed the onboarding' },
  activity: { title: 'An activity that the club recorded' },
  pack_purchase: { title: 'Bought the pack', of: 'purchase' },
  pack_refund: { title: 'Refunded: the pack', of: 'purchase' },
  order_payment: { title: 'Paid an order of', of: 'order' },
  order_refund: { title: 'Refunded: an order of', of: 'order' },
  opening_balance: { title: 'Balance brought from another system' },
  rule: { title: 'Rule', of: 'rule' },
  rule_void: { title: 'Taken back: rule', of: 'rule' },
  quest: { title: 'Quest', of: 'quest' },
  set: { title: 'Set', of: 'set' },
  code: { title: 'Redeemed a code of', of: 'redemption' },
  prediction: { title: 'Prediction of', of: 'match' },
  prediction_void: { title: 'Taken back: prediction of', of: 'match' },
  question: { title: 'The correct answer to', of: 'question' },
  question_void: { title: 'Taken back: the correct answer to', of: 'question' },
  expired: { title: 'Points expired' },
  merge: { title: 'Brought by a merged fan' },
  merge_void: { title: 'Taken back: brought by a merged fan' },
  merge_spent: { title: 'Spent by a merged fan' },
  merge_returned: { title: 'Returned to a merged fan' },
  merge_reclaimed: { title: 'Reclaimed from a merged fan' },
  merged: { title: 'Moved to another fan by a merge' },
}

// Guarantee of the cast: a later version may have written a reason that is not a key.
const wordsOf = (reason: string): Words | undefined => (REASONS as Partial<Record<string, Words>>)[reason]

export function wantOfEntry(entry: Entry, names: WantedNames): void {
  const of = wordsOf(entry.reason)?.of
  if (of !== undefined) names.want(of, causeOf(entry))
}

/** What the entry is for. `personal`: whether notes of grants are shown. */
export function describeEntry(
  entry: Entry,
  { names, related, personal }: { names: Names; related: Pick<Related, 'grants'>; personal: boolean },
): { title: string; note: string | null } {
  const { reason, ref, delta } = entry
  if (reason === 'adjustment') {
    const grant = related.grants.get(ref)
    const done = delta > 0 ? 'Granted' : 'Taken'
    const by = grant === undefined ? '' : grant.source === 'operator' ? ' by the club' : ` by ${grant.source}`
    return { title: `${done}${by}`, note: personal && grant?.note ? isolate(grant.note) : null }
  }
  const words = wordsOf(reason) ?? { title: reason.replaceAll('_', ' ') }
  if (words.of === undefined) return { title: words.title, note: null }
  const isList = words.of === 'match' || words.of === 'order'
  const name = isList ? names.name(words.of, causeOf(entry)) : names.quote(words.of, causeOf(entry))
  return {
    title: `${words.title} ${name}${words.of === 'quest' ? ofPeriod(periodOf(entry)) : ''}`,
    note: null,
  }
}
