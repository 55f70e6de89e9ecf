/**
 * The counters of limits and budgets. One conditional statement decides each, so that both are exact under any number of
 * processes. Several budgets are changed in the order of their rules, which prevents deadlocks.
 */
import { and, eq, lt, lte, sql } from 'drizzle-orm'
import type { Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'

interface Use {
  userId: string
  ruleId: string
  window: string
}

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
export const returnUse = (tx: Transaction, { userId, ruleId, window }: Use) =>
  decrementUse(tx, { userId, ruleId, window })

const decrementUse = prepared((tx: Transaction, { userId, ruleId, window }: Use) => {
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

/** Counts points against a budget. False, with nothing changed, if they do not fit into it as a whole. */
export async function takeFromBudget(
  tx: Transaction,
  { ruleId, points, budget }: Spending & { budget: number },
): Promise<boolean> {
  if (points > budget) return false
  const [taken] = await upsertBudget(tx, { ruleId, points, room: budget - points })
  return taken !== undefined
}

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

/** The points must have been counted. */
export const returnToBudget = prepared((tx: Transaction, { ruleId, points }: Spending) => {
  const { ruleBudgets: budgets } = tx.tables
  return tx
    .update(budgets)
    .set({ granted: sql`${budgets.granted} - ${points}` })
    .where(eq(budgets.ruleId, ruleId))
})
