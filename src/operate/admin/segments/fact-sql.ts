/** The facts of `club/segments` in SQL, of a fan whose row of `users` the query reads: as values, and compared as `meetsCondition` does. */
import { and, type Column, eq, inArray, isNotNull, isNull, not, or, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { type Fact, type FactCondition, factNamed, type PlainFact } from '../../../club/segments/facts.ts'

type Tables = Pick<Reader, 'tables'>

/** The SQL of a fact. A set has the condition for its names; undefined asks for any. */
type Expression =
  | { type: 'text'; text: Column | SQL }
  | { type: 'number'; number: SQL }
  | { type: 'boolean'; is: SQL }
  | { type: 'days'; time: SQL | Column; like: Column }
  | { type: 'set'; has: (names?: readonly unknown[]) => SQL }

export function expressionOf(reader: Reader, fact: Fact): Expression {
  if (fact.name === 'spent') return { type: 'number', number: spent(reader, fact.of) }
  if (fact.name === 'tier') return { type: 'text', text: tierIn(reader, fact.of) }
  if (fact.name === 'consent') return { type: 'boolean', is: consents(reader, fact.of) }
  return plainExpression(reader, fact.name)
}

function plainExpression(reader: Reader, name: PlainFact): Expression {
  const { users, pointsAccounts, onboardings, checkIns, predictions, orders, userPacks } = reader.tables
  const own = (column: Column) => eq(column, users.id)
  const countOf = (table: SQL, where: SQL | undefined): Expression => ({
    type: 'number',
    number: sql`(select count(*) from ${table} where ${where})`,
  })
  const ofAccount = (column: Column): Expression => ({
    type: 'number',
    number: sql`coalesce((select ${column} from ${pointsAccounts} where ${own(pointsAccounts.userId)}), 0)`,
  })
  switch (name) {
    case 'country':
    case 'locale':
    case 'favoriteTeamId':
    case 'ageBand':
      return { type: 'text', text: users[name] }
    case 'membership':
      return memberships(reader)
    case 'points':
      return ofAccount(pointsAccounts.balance)
    case 'lifetime':
      return ofAccount(pointsAccounts.lifetime)
    case 'registeredDaysAgo':
      return { type: 'days', time: users.createdAt, like: users.createdAt }
    case 'lastSeenDaysAgo':
      return lastSeen(reader)
    case 'onboarded':
      return {
        type: 'boolean',
        is: sql`exists (select 1 from ${onboardings} where ${own(onboardings.userId)})`,
      }
    case 'checkIns':
      return countOf(sql`${checkIns}`, own(checkIns.userId))
    case 'predictions':
      return countOf(sql`${predictions}`, own(predictions.userId))
    case 'ordersPaid':
      return countOf(sql`${orders}`, and(own(orders.userId), eq(orders.status, 'completed')))
    case 'packsOpened':
      return countOf(sql`${userPacks}`, and(own(userPacks.userId), isNotNull(userPacks.openedAt)))
  }
}

/** Paid, less what was refunded. */
function spent({ tables: { users, orders } }: Tables, currency: string): SQL {
  const isPaid = and(
    eq(orders.userId, users.id),
    eq(orders.status, 'completed'),
    eq(orders.priceCurrency, currency),
  )
  return sql`(select coalesce(sum(${orders.priceAmount} - ${orders.refundedAmount}), 0) from ${orders} where ${isPaid})`
}

/** As it is stored: a task brings tiers up to date after a season. */
function tierIn({ tables }: Tables, accountId: string): SQL {
  const { users, fanAccounts: rows, accounts } = tables
  const isActive = and(eq(accounts.id, rows.accountId), eq(accounts.active, true))
  const isOwn = and(eq(rows.userId, users.id), eq(rows.accountId, accountId))
  return sql`(select ${rows.tierId} from ${rows} inner join ${accounts} on ${isActive} where ${isOwn})`
}

/** The last row of a purpose counts. */
function consents({ tables }: Tables, purpose: string): SQL {
  const { users, consents: rows } = tables
  const isOwn = and(eq(rows.userId, users.id), eq(rows.purpose, purpose))
  return sql`coalesce((select ${rows.granted} from ${rows} where ${isOwn} order by ${rows.seq} desc limit 1), false)`
}

/** The newest event of the fan. Events have the sequences 1, 2, 3 … of a fan. */
function lastSeen({ tables: { users, events } }: Tables): Expression {
  const time = sql`(select ${events.recordedAt} from ${events} where ${eq(events.userId, users.id)}
    order by ${events.sequence} desc limit 1)`
  return { type: 'days', time, like: events.recordedAt }
}

/** Kinds of membership that are active now. */
function memberships(reader: Reader): Expression {
  const { users, fanMemberships: rows } = reader.tables
  const now = reader.now()
  const isActive = and(
    eq(rows.userId, users.id),
    sql`${rows.startsAt} <= ${sql.param(now, rows.startsAt)}`,
    sql`${rows.endsAt} > ${sql.param(now, rows.endsAt)}`,
  )
  return {
    type: 'set',
    has: names =>
      // Guarantee of the cast: `conditionFault` requires strings.
      sql`exists (select 1 from ${rows} where ${and(isActive, names && inArray(rows.kindId, names as string[]))})`,
  }
}

/** SQL: whether the fan meets the condition, which has no fault. */
export function conditionSql(reader: Reader, { fact, op, value }: FactCondition): SQL {
  const found = factNamed(fact)
  if (!found) throw new Error('a segment asks for a fact that does not exist')
  const values = [value].flat()
  const expression = expressionOf(reader, found)
  const isNegative = op === 'ne' || (op === 'exists' && value === false)
  const positive = positiveSql(reader, expression, { op: isNegative && op === 'ne' ? 'eq' : op, values })
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

/** SQL: a fan who is neither erased nor merged. */
export const isFan = ({ tables: { users } }: Tables): SQL =>
  sql`(${isNull(users.erasedAt)} and ${isNull(users.mergedIntoId)})`
