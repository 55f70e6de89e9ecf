/**
 * The counters of limits and budgets, exact under any number of processes. Uses are those of one fan, whose account is locked;
 * budgets are shared by all fans, and one conditional statement decides each, in the order of their ids, which prevents deadlocks.
 */
import { eq, lte, sql } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import {
  ConflictError,
  type Deferred,
  type Reader,
  type Tables,
  type Transaction,
} from '../../../db/index.ts'
import { rowsByKeys } from '../../../db/keys.ts'
import { prepared, preparedLast } from '../../../db/prepared.ts'

type UseRow = Tables['ruleUses']['$inferSelect']
export type Use = Omit<UseRow, 'uses'>

/** Uses of fans in windows, in memory until `write`. */
export interface Uses {
  /** Reads the uses that are not in memory yet. */
  load(uses: Use[]): Promise<void>
  /** Counts a use. False, with nothing changed, if there have been `count` already. */
  take(use: Use, count: number): Promise<boolean>
  /** The use must have been counted. */
  giveBack(use: Use): Promise<void>
  write(): Promise<void>
}

/** Needs the accounts of the fans to be locked. */
export function openUses(tx: Transaction): Uses {
  const rows = new Map<string, UseRow>()
  const changed = new Set<UseRow>()

  async function load(uses: Use[]) {
    const missing = new Map(uses.filter(use => !rows.has(nameOf(use))).map(use => [nameOf(use), use]))
    for (const row of await selectUses(tx, [...missing.values()])) rows.set(nameOf(row), row)
    for (const [name, use] of missing) rows.getOrInsertComputed(name, () => ({ ...use, uses: 0 }))
  }

  async function rowOf(use: Use): Promise<UseRow> {
    if (!rows.has(nameOf(use))) await load([use])
    const row = rows.get(nameOf(use))
    if (!row) throw new Error('a use was not read')
    return row
  }

  return {
    load,
    async take(use, count) {
      const row = await rowOf(use)
      if (row.uses >= count) return false
      row.uses++
      changed.add(row)
      return true
    },
    async giveBack(use) {
      const row = await rowOf(use)
      row.uses--
      changed.add(row)
    },
    async write() {
      await insertRows(tx, tx.tables.ruleUses, [...changed], { set: ['uses'] })
    },
  }
}

const nameOf = ({ userId, ruleId, window }: Use) => `${userId} ${ruleId} ${window}`

const selectUses = rowsByKeys('ruleUses', ['userId', 'ruleId', 'window'])

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
  const { points: before = 0, granted = (await selectBudget(tx, ruleId))[0]?.granted ?? 0 } =
    spendings.get(ruleId) ?? {}
  const own = before + points
  if (own > budget || granted + own > budget) return false
  spendings.set(ruleId, { points: own, budget, granted })
  return true
}

/** The points must have been counted. */
export function returnToBudget(tx: Transaction, { ruleId, points }: Spending): void {
  const spendings = tx.deferred(spendingsOfBudgets)
  const { points: own = 0, budget = 0, granted } = spendings.get(ruleId) ?? {}
  spendings.set(ruleId, { points: own - points, budget, granted })
}

interface BudgetChange {
  points: number
  budget: number
  /** As it was read first; undefined if it was not. */
  granted: number | undefined
}

const spendingsOfBudgets: Deferred<Map<string, BudgetChange>> = {
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
