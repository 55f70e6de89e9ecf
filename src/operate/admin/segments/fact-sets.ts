/**
 * The fans who meet a condition, read from the table of the fact: to count them among all fans without a look-up for each. `fact-sql.ts`
 * asks the same of one fan.
 */
import { and, type Column, eq, inArray, isNotNull, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { byIndex } from '../../../../db/by-index.ts'
import { idsByNewest } from '../../../../db/first-of-each.ts'
import type { Reader } from '../../../../db/index.ts'
import {
  type Fact,
  type FactCondition,
  type FactType,
  type FactValue,
  meetsCondition,
} from '../../../club/segments/facts.ts'
import { comparedSql, type Expression } from './compared-sql.ts'
import { isActiveMembership, isOfActiveAccount, isPaid, isPaidIn, requireFact } from './fact-sql.ts'

/** A query for ids of fans, each once, in a column `id`. `isWithout`: all other fans meet the condition. */
export interface FanSet {
  fans: SQL
  isWithout: boolean
}

/** What is known of a fan without rows. */
const UNKNOWN: Record<FactType, FactValue> = { text: null, days: null, set: [], number: 0, boolean: false }

/** Null for a fact that the row of the fan itself has. */
export function fanSetOf(reader: Reader, condition: FactCondition): FanSet | null {
  const fact = requireFact(condition)
  const read = rowsOf(reader, fact)
  if (!read) return null
  // No query returns fans without rows. Where they meet the condition, it returns the fans who do not.
  const isWithout = meetsCondition(condition, UNKNOWN[fact.type])
  const isMet = (of: Expression) => {
    const met = comparedSql(reader, of, condition)
    return isWithout ? sql`not (${met})` : met
  }
  return { fans: read(isMet, isAnyNumber(condition, !isWithout)), isWithout }
}

/** Whether any number of rows says the same: then they need no counting. Without `in`, one number at most tells others apart. */
const isAnyNumber = (condition: FactCondition, expected: boolean) =>
  condition.op !== 'in' &&
  [1, 2, Number.MAX_SAFE_INTEGER].every(rows => meetsCondition(condition, rows) === expected)

type Tables = Pick<Reader, 'tables'>

/** Builds the query, with the condition for what a row, or the rows of a fan together, say. */
type RowsOf = (isMet: (of: Expression) => SQL, isAnyNumber: boolean) => SQL

function rowsOf(reader: Reader, fact: Fact): RowsOf | null {
  const { pointsAccounts, onboardings, checkIns, predictions, orders, userPacks } = reader.tables
  switch (fact.name) {
    case 'points':
      return each(pointsAccounts, undefined, { type: 'number', number: sql`${pointsAccounts.balance}` })
    case 'lifetime':
      return each(pointsAccounts, undefined, { type: 'number', number: sql`${pointsAccounts.lifetime}` })
    case 'onboarded':
      return each(onboardings, undefined, { type: 'boolean', is: sql`1 = 1` })
    case 'checkIns':
      return counted(checkIns)
    case 'predictions':
      return counted(predictions)
    case 'ordersPaid':
      return counted(orders, isPaid(reader), byIndex(orders, 'orders_paid'))
    case 'packsOpened':
      return counted(userPacks, isNotNull(userPacks.openedAt))
    case 'spent':
      return grouped(
        orders,
        isPaidIn(reader, fact.of),
        { type: 'number', number: sql`sum(${orders.priceAmount} - ${orders.refundedAmount})` },
        byIndex(orders, 'orders_paid'),
      )
    case 'consent':
      return consented(reader, fact.of)
    case 'tier':
      return inTier(reader, fact.of)
    case 'membership':
      return withMembership(reader)
    case 'lastSeenDaysAgo':
      return lastSeen(reader)
    default:
      return null
  }
}

type OfFans = { userId: Column } & SQLWrapper

/** Of a table with at most one row of each fan that meets `where`. */
const each =
  (table: OfFans, where: SQL | undefined, of: Expression): RowsOf =>
  isMet =>
    sql`select ${table.userId} as id from ${table} where ${and(where, isMet(of))}`

/** Of all rows of a fan together. */
const grouped =
  (table: OfFans, where: SQL | undefined, of: Expression, from: SQLWrapper = table): RowsOf =>
  isMet =>
    sql`select ${table.userId} as id from ${from} where ${where ?? sql`1 = 1`} group by ${table.userId} having ${isMet(of)}`

/** By the number of rows. */
const counted =
  (table: OfFans, where?: SQL, from: SQLWrapper = table): RowsOf =>
  (isMet, isAny) =>
    isAny
      ? sql`select distinct ${table.userId} as id from ${from} where ${where ?? sql`1 = 1`}`
      : grouped(table, where, { type: 'number', number: sql`count(*)` }, from)(isMet, isAny)

/** The last row of a purpose counts: its number and its answer are one number. */
function consented({ tables: { consents } }: Tables, purpose: string): RowsOf {
  const last = sql`max(${consents.seq} * 2 + case when ${consents.granted} then 1 else 0 end)`
  return grouped(consents, eq(consents.purpose, purpose), { type: 'boolean', is: sql`${last} % 2 = 1` })
}

function inTier(reader: Reader, accountId: string): RowsOf {
  const { fanAccounts } = reader.tables
  const where = and(eq(fanAccounts.accountId, accountId), isOfActiveAccount(reader, accountId))
  return each(fanAccounts, where, { type: 'text', text: fanAccounts.tierId })
}

function withMembership(reader: Reader): RowsOf {
  const { fanMemberships: rows } = reader.tables
  // Guarantee of the cast: `conditionFault` requires strings.
  const has = (names?: readonly unknown[]) => (names ? inArray(rows.kindId, names as string[]) : sql`1 = 1`)
  return isMet =>
    sql`select distinct ${rows.userId} as id from ${rows} where ${and(isActiveMembership(reader), isMet({ type: 'set', has }))}`
}

function lastSeen({ tables: { events } }: Tables): RowsOf {
  const { userId: of, sequence: order, recordedAt: time } = events
  return isMet => idsByNewest(events, { of, order, isMet: isMet({ type: 'days', time, like: time }) })
}
