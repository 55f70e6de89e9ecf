/**
 * Look-ups of fans, each by an index. Both engines compare text by bytes, so names with the same beginning are a range.
 * Exported for tests of their query plans.
 */
import { and, asc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { prepared } from '../../../../db/prepared.ts'

/** How a fan was found, the most specific first. */
export const MATCHES = [
  ...(['user_id', 'subject', 'redemption_code', 'voucher_code', 'order', 'trade', 'pack', 'top_up'] as const),
  ...(['payment', 'email', 'handle', 'name', 'provider_name'] as const),
] as const
export type MatchedBy = (typeof MATCHES)[number]

export interface Lookup {
  userId: string
  by: MatchedBy
  /** The stored text: it equals the searched text or begins with it. */
  found: string
}

/** Sorts after every other character in the order of bytes. */
const LAST = '\u{10ffff}'

/** The texts that begin with this one. */
export const rangeOf = (prefix: string) => ({ from: prefix, to: `${prefix}${LAST}` })
type Range = ReturnType<typeof rangeOf>

const as = (by: MatchedBy) => sql<MatchedBy>`${sql.raw(`'${by}'`)}`

export interface NamedById {
  /** The text as typed; `id` has it in lower case, like ids. */
  text: string
  id: string
  provider: string
  /** What replaces the subject of an erased fan. */
  erased: string
}

/** Looks up unique values without spaces, in one statement with one index look-up for each. */
export const findByIds = prepared((reader: Reader, { text, id, provider, erased }: NamedById) => {
  const { users, orders, trades, packPurchases, userPacks, topUps, payments } = reader.tables
  const user = (by: MatchedBy, condition: SQL | undefined) =>
    reader
      .select({ userId: users.id, by: as(by), found: sql<string>`${users.id}` })
      .from(users)
      .where(condition)
  const owned = (
    by: MatchedBy,
    table: typeof orders | typeof packPurchases | typeof userPacks | typeof topUps,
  ) =>
    reader
      .select({ userId: table.userId, by: as(by), found: sql<string>`${table.id}` })
      .from(table)
      .where(eq(table.id, id))
  const paid = (table: typeof orders | typeof packPurchases | typeof topUps) =>
    reader
      .select({ userId: table.userId, by: as('payment'), found: sql<string>`${payments.reference}` })
      .from(payments)
      .innerJoin(table, eq(table.id, payments.purchaseId))
      .where(eq(payments.reference, text))
  const traded = (fan: typeof trades.fromId | typeof trades.toId) =>
    reader
      .select({ userId: fan, by: as('trade'), found: sql<string>`${trades.id}` })
      .from(trades)
      .where(eq(trades.id, id))
  return user('user_id', eq(users.id, id))
    .unionAll(user('user_id', and(eq(users.id, text), sql`${text} <> ${id}`)))
    .unionAll(user('subject', and(eq(users.provider, provider), eq(users.subject, text))))
    .unionAll(user('subject', and(eq(users.provider, provider), eq(users.subject, erased))))
    .unionAll(owned('order', orders))
    .unionAll(traded(trades.fromId))
    .unionAll(traded(trades.toId))
    .unionAll(owned('pack', packPurchases))
    .unionAll(owned('pack', userPacks))
    .unionAll(owned('top_up', topUps))
    .unionAll(paid(orders))
    .unionAll(paid(packPurchases))
    .unionAll(paid(topUps))
})

/** Looks up a code in its canonical form, also one that is used or void. */
export const findByCode = prepared((reader: Reader, code: string) => {
  const { userRewards, orderUnits: units, orders } = reader.tables
  const redeemed = reader
    .select({
      userId: userRewards.userId,
      by: as('redemption_code'),
      found: sql<string>`${userRewards.redemptionCode}`,
    })
    .from(userRewards)
    .where(eq(userRewards.redemptionCode, code))
  const bought = reader
    .select({ userId: orders.userId, by: as('voucher_code'), found: sql<string>`${units.code}` })
    .from(units)
    .innerJoin(orders, eq(orders.id, units.orderId))
    .where(eq(units.code, code))
  return redeemed.unionAll(bought)
})

export const findByHandle = prepared((reader: Reader, { from, to }: Range, limit: number) => {
  const { users } = reader.tables
  return reader
    .select({ userId: users.id, by: as('handle'), found: sql<string>`${users.handle}` })
    .from(users)
    .where(and(gte(users.handle, from), lt(users.handle, to)))
    .orderBy(asc(users.handle))
    .limit(limit)
})

export const findByName = prepared((reader: Reader, { from, to }: Range, limit: number) => {
  const { users } = reader.tables
  return reader
    .select({ userId: users.id, by: as('name'), found: sql<string>`${users.nameKey}` })
    .from(users)
    .where(and(gte(users.nameKey, from), lt(users.nameKey, to)))
    .orderBy(asc(users.nameKey), asc(users.id))
    .limit(limit)
})

export const findByProviderName = prepared((reader: Reader, { from, to }: Range, limit: number) => {
  const { identities } = reader.tables
  return reader
    .select({
      userId: identities.userId,
      by: as('provider_name'),
      found: sql<string>`${identities.nameKey}`,
    })
    .from(identities)
    .where(and(gte(identities.nameKey, from), lt(identities.nameKey, to)))
    .orderBy(asc(identities.nameKey), asc(identities.userId))
    .limit(limit)
})

/** Several fans may have the same address. */
export const findByEmail = prepared((reader: Reader, email: string, limit: number) => {
  const { identities } = reader.tables
  return reader
    .select({ userId: identities.userId, by: as('email'), found: sql<string>`${identities.emailKey}` })
    .from(identities)
    .where(eq(identities.emailKey, email))
    .orderBy(asc(identities.userId))
    .limit(limit)
})
