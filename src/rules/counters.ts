/**
 * The counters of limits and budgets. One conditional statement decides each, so that both are exact under any number of
 * processes. Several budgets are changed in the order of their ids, which prevents deadlocks.
 */
import { and, eq, lt, lte, sql } from 'drizzle-orm'
import { ConflictError, type Deferred, type Reader, type Tables, type Transaction } from '../../db/index.ts'
import { prepared, preparedLast } from '../../db/prepared.ts'

type Use = Omit<Tables['ruleUses']['$inferSelect'], 'uses'>

interface LimitedUse extends Use {
  /** At least 1. */
  count: number
}

/** Counts a use of a fan in a window. False, with nothing changed, if there have been `count` already. */
export async function takeUse(tx: Transaction, use: LimitedUse): Promise<boolean> {
  const [taken] = await upsertUse(tx, use)
  return taken !== undefined
}

const upsertUse = prepared((tx: Transaction, { count, ...use }: LimitedUse) => {
  const { ruleUses: uses } = tx.tables
  return tx
    .insert(uses)
    .values({ ...use, uses: 1 })
    .onConflictDoUpdate({
      target: [uses.userId, uses.ruleId, uses.window],
      set: { uses: sql`${uses.uses} + 1` },
      setWhere: lt(uses.uses, count),
    })
    .returning({ uses: uses.uses })
})

/** The use must have been counted. */
export const returnUse = prepared((tx: Transaction, { userId, ruleId, window }: Use) => {
  const { ruleUses: uses } = tx.tables
  return tx
    .update(uses)
    .set({ uses: sql`${uses.uses} - 1` })
    .where(and(eq(uses.userId, userId), eq(uses.ruleId, ruleId), eq(uses.window, window)))
})

interface Spending {
  ruleId: string
  points: number
}

/**
 * Counts points against a budget. False, with nothing counted, if they do not fit into it as a whole. The row of the budget, which all
 * fans share, is changed at the end of the unit of work; if others have taken the points by then, it runs again.
 */
export async function takeFromBudget(
  tx: Transaction,
  { ruleId, points, budget }: Spending & { budget: number },
): Promise<boolean> {
  const spendings = tx.deferred(spendingsOfBudgets)
  const own = (spendings.get(ruleId)?.points ?? 0) + points
  if (own > budget) return false
  const [spent] = await selectBudget(tx, ruleId)
  if ((spent?.granted ?? 0) + own > budget) return false
  spendings.set(ruleId, { points: own, budget })
  return true
}

/** The points must have been counted. */
export function returnToBudget(tx: Transaction, { ruleId, points }: Spending): void {
  const spendings = tx.deferred(spendingsOfBudgets)
  const { points: own, budget } = spendings.get(ruleId) ?? { points: 0, budget: 0 }
  spendings.set(ruleId, { points: own - points, budget })
}

const spendingsOfBudgets: Deferred<Map<string, { points: number; budget: number }>> = {
  order: 1,
  start: () => new Map(),
  async write(tx, spendings) {
    const returned = []
    for (const [ruleId, { points, budget }] of [...spendings].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      if (points < 0) returned.push(addToBudget(tx, { ruleId, points }))
      if (points <= 0) continue
      const [taken] = await upsertBudget(tx, { ruleId, points, room: budget - points })
      if (!taken) throw new ConflictError('a budget was spent meanwhile')
    }
    return returned
  },
}

const selectBudget = prepared((reader: Reader, ruleId: string) => {
  const { ruleBudgets: budgets } = reader.tables
  return reader.select({ granted: budgets.granted }).from(budgets).where(eq(budgets.ruleId, ruleId))
})

const upsertBudget = prepared((tx: Transaction, { ruleId, points, room }: Spending & { room: number }) => {
  const { ruleBudgets: budgets } = tx.tables
  return tx
    .insert(budgets)
    .values({ ruleId, granted: points })
    .onConflictDoUpdate({
      target: budgets.ruleId,
      set: { granted: sql`${budgets.granted} + ${points}` },
      setWhere: lte(budgets.granted, room),
    })
    .returning({ granted: budgets.granted })
})

const addToBudget = preparedLast((tx, { ruleId, points }: Spending) => {
  const { ruleBudgets: budgets } = tx.tables
  return tx
    .update(budgets)
    .set({ granted: sql`${budgets.granted} + ${points}` })
    .where(eq(budgets.ruleId, ruleId))
})
