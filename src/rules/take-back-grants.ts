/** For the void of an event: takes back what its rules granted, and gives back what the grants used of limits and budgets. */
import type { Transaction } from '../../db/index.ts'
import { lockAccount } from '../points/ledger.ts'
import { takeBack } from '../points/take-back.ts'
import type { RuledEvent } from './apply-rules.ts'
import { returnToBudget, returnUse } from './counters.ts'
import { type Decision, grantRef } from './decision.ts'

/** What a void took back of a grant. */
export interface TakenGrant {
  ruleId: string
  points: number
  /** Points that the fan had spent already. */
  uncollected: number
}

/**
 * Takes back each grant of an event in the order of the rules, at most the balance. A limit gets its use back if the whole grant
 * was taken, a budget gets back the points that were. Call it once per event.
 */
export async function takeBackGrants(
  tx: Transaction,
  { userId, ...event }: Pick<RuledEvent, 'source' | 'eventId' | 'userId'>,
  decisions: Decision[],
): Promise<TakenGrant[]> {
  let { balance } = await lockAccount(tx, userId)
  const taken: TakenGrant[] = []
  for (const { ruleId, outcome, points: granted, window, budgeted } of decisions) {
    if (outcome !== 'granted') continue
    const points = Math.min(granted, balance)
    balance -= points
    taken.push({ ruleId, points, uncollected: granted - points })
    if (window !== null && points === granted) await returnUse(tx, { userId, ruleId, window })
    if (budgeted && points > 0) returnToBudget(tx, { ruleId, points })
  }
  for (const { ruleId, points } of taken)
    if (points > 0) await takeBack(tx, { userId, reason: 'rule', ref: grantRef(ruleId, event) })
  return taken
}
