/** Compares a fact in SQL as `meetsCondition` of `club/segments` does in memory. */
import { type Column, inArray, isNotNull, not, or, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import type { FactCondition } from '../../../club/segments/facts.ts'

/** The SQL of a fact. A set has the condition for its names; undefined asks for any. */
export type Expression =
  | { type: 'text'; text: Column | SQL }
  | { type: 'number'; number: SQL }
  | { type: 'boolean'; is: SQL }
  | { type: 'days'; time: SQL | Column; like: Column }
  | { type: 'set'; has: (names?: readonly unknown[]) => SQL }

/** SQL: whether the condition, which has no fault, is met. Never null. */
export function comparedSql(reader: Reader, of: Expression, { op, value }: FactCondition): SQL {
  const isNegative = op === 'ne' || (op === 'exists' && value === false)
  const positive = positiveSql(reader, of, { op: op === 'ne' ? 'eq' : op, values: [value].flat() })
  return isNegative ? sql`not (${positive})` : positive
}

interface Comparison {
  op: FactCondition['op']
  values: readonly unknown[]
}

/** Never null, so that it can be negated: of `exists`, whether the value is known. */
function positiveSql(reader: Reader, of: Expression, { op, values }: Comparison): SQL {
  const [first] = values
  const isIn = op === 'eq' || op === 'in'
  switch (of.type) {
    case 'text':
      if (op === 'exists') return isNotNull(of.text)
      return sql`(${isNotNull(of.text)} and ${inArray(sql`${of.text}`, [...values])})`
    case 'set':
      return op === 'exists' ? of.has() : of.has(values)
    case 'boolean':
      if (op === 'exists') return sql`1 = 1`
      return first === true ? of.is : not(of.is)
    case 'number':
      if (op === 'exists') return sql`1 = 1`
      if (isIn) return any(values.map(value => sql`${of.number} = ${integer(value)}`))
      return sql`${of.number} ${sql.raw(SIGNS[op] ?? '=')} ${integer(first)}`
    case 'days': {
      if (op === 'exists') return sql`${of.time} is not null`
      const known = (condition: SQL) => sql`(${of.time} is not null and ${condition})`
      if (isIn) return known(any(values.map(value => isDays(reader, of, 'eq', Number(value)))))
      return known(isDays(reader, of, op, Number(first)))
    }
  }
}

/** Whole numbers of any size, without the type that a driver guesses. */
const integer = (value: unknown) => sql.raw(String(Number(value)))

const SIGNS: Record<string, string> = { gt: '>', gte: '>=', lt: '<', lte: '<=' }
const DAY_MS = 86_400_000
const any = (conditions: SQL[]): SQL => or(...conditions) ?? sql`1 = 0`

/** Compares whole days since a time, of the future none, by times: `days >= n` is a time at least n days ago. */
function isDays(
  reader: Reader,
  { time, like }: Extract<Expression, { type: 'days' }>,
  op: FactCondition['op'],
  days: number,
): SQL {
  const atLeast = (n: number): SQL => {
    if (n <= 0) return sql`1 = 1`
    const before = reader.now().getTime() - n * DAY_MS
    // Before any time that is stored.
    if (before < 0) return sql`1 = 0`
    return sql`${time} <= ${sql.param(new Date(before), like)}`
  }
  switch (op) {
    case 'gte':
      return atLeast(days)
    case 'gt':
      return atLeast(days + 1)
    case 'lt':
      return not(atLeast(days))
    case 'lte':
      return not(atLeast(days + 1))
    default:
      return days < 0 ? sql`1 = 0` : sql`(${atLeast(days)} and not (${atLeast(days + 1)}))`
  }
}
