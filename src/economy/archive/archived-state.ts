/** What archived rows add to figures that follow from all entries and events of a fan. */
import { budgetedPoints, decisionsOf, type EventRow, takenOf } from '../events/event.ts'
import type { BoardScore } from '../leaderboard/rank-index/rank-index.ts'
import type { ChainedEntry } from '../ledgers/chain.ts'
import { remainingOf, voidReasonOf } from '../ledgers/reasons.ts'
import { dayOf } from '../points/expiry.ts'
import type { SeamState } from '../points/seams.ts'

/** The state after these rows, in one order. */
export function stateAfter(
  { scores, lots, taken, uses, budgets }: SeamState,
  entries: ChainedEntry[],
  events: EventRow[],
): SeamState {
  const scoreOf = new Map(scores.map(score => [score.board, { ...score }]))
  for (const { board, points, at } of earnedBy(entries)) {
    const score = scoreOf.getOrInsertComputed(board, () => ({ board, points: 0, reachedAt: 0 }))
    Object.assign(score, { points: score.points + points, reachedAt: Math.max(score.reachedAt, at) })
  }
  const lotOf = new Map(lots)
  for (const { delta, createdAt } of entries) if (delta > 0) add(lotOf, dayOf(createdAt).getTime(), delta)
  const takenOn = new Map(taken)
  const grants = new Map(entries.map(entry => [`${entry.reason} ${entry.ref}`, entry]))
  for (const { reason, ref, delta } of entries) {
    const grant = reason === voidReasonOf('rule') && grants.get(`rule ${ref}`)
    if (grant) add(takenOn, dayOf(grant.createdAt).getTime(), -delta)
  }
  const useOf = new Map(uses.map(use => [`${use.ruleId} ${use.window}`, { ...use }]))
  const budgetOf = new Map(budgets.map(({ ruleId, points }) => [ruleId, points]))
  for (const event of events) {
    for (const { ruleId, window, isHeld } of usedBy(event)) {
      const use = useOf.getOrInsertComputed(`${ruleId} ${window}`, () => ({
        ruleId,
        window,
        ever: 0,
        held: 0,
      }))
      use.ever++
      if (isHeld) use.held++
    }
    for (const { ruleId, points } of budgetedPoints(event)) add(budgetOf, ruleId, points)
  }
  return {
    scores: inOrder(scoreOf.values(), ({ board }: BoardScore) => board),
    lots: [...lotOf].toSorted(([a], [b]) => a - b),
    taken: [...takenOn].toSorted(([a], [b]) => a - b),
    uses: inOrder(useOf.values(), ({ ruleId, window }) => `${ruleId} ${window}`),
    budgets: inOrder(
      [...budgetOf].map(([ruleId, points]) => ({ ruleId, points })),
      ({ ruleId }) => ruleId,
    ),
  }
}

const add = <Key>(sums: Map<Key, number>, key: Key, points: number) =>
  sums.set(key, (sums.get(key) ?? 0) + points)

const inOrder = <Item>(items: Iterable<Item>, nameOf: (item: Item) => string): Item[] =>
  [...items].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))

/** What remains of the grants, by board. */
function earnedBy(entries: ChainedEntry[]) {
  const voids = new Map(
    entries.flatMap(({ reason, ref, delta, createdAt }) =>
      reason === voidReasonOf('rule') ? [[ref, { points: -delta, at: createdAt }] as const] : [],
    ),
  )
  return entries.flatMap(({ reason, ref, delta: points, createdAt: at }) =>
    reason === 'rule'
      ? remainingOf({ points, reason, ref, at, taken: voids.get(ref) ?? null }).map(remaining => ({
          board: remaining.board.id,
          points: remaining.points,
          at: at.getTime(),
        }))
      : [],
  )
}

function usedBy(event: EventRow) {
  const taken = takenOf(event)
  return decisionsOf(event).flatMap(({ ruleId, outcome, window }) =>
    outcome === 'granted' && window !== null
      ? [{ ruleId, window, isHeld: taken.get(ruleId)?.uncollected !== 0 }]
      : [],
  )
}
