/** Moves the rows of a merged fan as `db/schema/` declares it next to each column. */
import { and, eq, notExists, type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '../../../../db/index.ts'
import type { Merge as MergeRule } from '../../../../db/schema/fan-column.ts'
import { fanData } from '../../../../db/schema/fan-data.ts'
import { type AnyTable, columnOf, shapeOf } from '../../../../db/schema/shape.ts'
import type { Merge } from '../../../core/caller.ts'

interface Declared {
  name: keyof typeof fanData
  column: string
  rule: MergeRule<string>
}

/** The declared rule of each column that points to a fan. */
function listMergeRules(): Declared[] {
  // Guarantee of the casts: the names of the entries are keys of `fanData`, and its type declares a rule for each column.
  return Object.entries(fanData).flatMap(([name, columns]) =>
    Object.entries(columns as Record<string, { merge: MergeRule<string> }>).map(([column, { merge }]) => ({
      name: name as keyof typeof fanData,
      column,
      rule: merge,
    })),
  )
}

/** Applies the rules `move`, `moveUnless` and `delete`. Returns the number of moved rows by table. */
export async function moveRows(tx: Transaction, merge: Merge): Promise<Record<string, number>> {
  const moved: Record<string, number> = {}
  for (const { name, column, rule } of listMergeRules()) {
    if (rule === 'stay' || (typeof rule === 'object' && 'rule' in rule)) continue
    const table = tx.tables[name]
    const isTheirs = eq(columnOf(table, column), merge.fromId)
    if (rule !== 'delete') {
      const unless = rule === 'move' ? undefined : hasNone(table, { column, keys: rule.moveUnless }, merge)
      const rows = await tx
        .update(table)
        .set({ [column]: merge.intoId })
        .where(and(isTheirs, unless))
        .returning({ moved: sql`1` })
      if (rows.length > 0) moved[shapeOf(table).name] = rows.length
    }
    if (rule === 'delete' || (typeof rule === 'object' && rule.otherwise === 'delete'))
      await tx.delete(table).where(isTheirs)
  }
  return moved
}

/** SQL: whether the other fan has no row with the values of these columns. */
function hasNone(
  table: AnyTable,
  { column, keys }: { column: string; keys: string[] },
  { intoId }: Merge,
): SQL {
  const { name, columns } = shapeOf(table)
  const nameOf = (property: string) =>
    sql.identifier(columns.find(of => of.property === property)?.name ?? '')
  const own = [
    sql`own.${nameOf(column)} = ${intoId}`,
    ...keys.map(key => sql`own.${nameOf(key)} = ${sql.identifier(name)}.${nameOf(key)}`),
  ]
  return notExists(sql`(select 1 from ${table} as own where ${sql.join(own, sql` and `)})`)
}
