/** The facts of `club/segments` in SQL, of a fan whose row of `users` the query reads. */
import { and, type Column, eq, gt, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { type Fact, type FactCondition, factNamed, type PlainFact } from '../../../club/segments/facts.ts'
import { comparedSql, type Expression } from './compared-sql.ts'

type Tables = Pick<Reader, 'tables'>

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
      return countOf(sql`${orders}`, and(own(orders.userId), isPaid(reader)))
    case 'packsOpened':
      return countOf(sql`${userPacks}`, and(own(userPacks.userId), isNotNull(userPacks.openedAt)))
  }
}

/** In words of the index `orders_paid`, which no parameter finds. */
export const isPaid = ({ tables: { orders } }: Tables): SQL => sql`${orders.status} = 'completed'`

export const isPaidIn = (reader: Tables, currency: string) =>
  and(isPaid(reader), eq(reader.tables.orders.priceCurrency, currency))

/** Paid, less what was refunded. */
function spent(reader: Tables, currency: string): SQL {
  const { users, orders } = reader.tables
  const isOwn = and(eq(orders.userId, users.id), isPaidIn(reader, currency))
  return sql`(select coalesce(sum(${orders.priceAmount} - ${orders.refundedAmount}), 0) from ${orders} where ${isOwn})`
}

/** As it is stored: a task brings tiers up to date after a season. */
function tierIn(reader: Tables, accountId: string): SQL {
  const { users, fanAccounts: rows } = reader.tables
  const isOwn = and(eq(rows.userId, users.id), eq(rows.accountId, accountId))
  return sql`(select ${rows.tierId} from ${rows} where ${and(isOwn, isOfActiveAccount(reader, accountId))})`
}

/** Not correlated, so that it is asked once. */
export function isOfActiveAccount({ tables: { accounts } }: Tables, accountId: string): SQL {
  return sql`exists (select 1 from ${accounts} where ${and(eq(accounts.id, accountId), eq(accounts.active, true))})`
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

export function isActiveMembership(reader: Reader) {
  const { startsAt, endsAt } = reader.tables.fanMemberships
  const now = reader.now()
  return and(lte(startsAt, now), gt(endsAt, now))
}

/** Kinds of membership that are active now. */
function memberships(reader: Reader): Expression {
  const { users, fanMemberships: rows } = reader.tables
  const isOwn = and(eq(rows.userId, users.id), isActiveMembership(reader))
  return {
    type: 'set',
    has: names =>
      // Guarantee of the cast: `conditionFault` requires strings.
      sql`exists (select 1 from ${rows} where ${and(isOwn, names && inArray(rows.kindId, names as string[]))})`,
  }
}

/** SQL: whether the fan meets the condition, which has no fault. */
export function conditionSql(reader: Reader, condition: FactCondition): SQL {
  return comparedSql(reader, expressionOf(reader, requireFact(condition)), condition)
}

export function requireFact({ fact }: FactCondition) {
  const found = factNamed(fact)
  if (!found) throw new Error('a segment asks for a fact that does not exist')
  return found
}

/** SQL: a fan who is neither erased nor merged. */
export const isFan = ({ tables: { users } }: Tables): SQL =>
  sql`(${isNull(users.erasedAt)} and ${isNull(users.mergedIntoId)})`

/** A query for the ids of all others. */
export const goneFans = ({ tables: { users } }: Tables): SQL =>
  sql`select ${users.id} from ${users} where ${or(isNotNull(users.erasedAt), isNotNull(users.mergedIntoId))}`
