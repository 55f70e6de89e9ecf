/** Invariants of what the lines of orders have delivered. */
import { and, asc, eq, isNull, like, or } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { differs, differsInTime, type Finding, readJson } from '../../core/finding.ts'
import type { Delivers } from '../../play/shop/delivers.ts'

/** Checks the delivered units of order lines, by kind, for the fans of the orders. Needs a snapshot. */
export async function findWrongDeliveries(reader: Reader, range: Range): Promise<Finding[]> {
  const {
    orders,
    orderLines: lines,
    orderUnits: units,
    packPurchases,
    userItems: items,
    users,
  } = reader.tables
  const rows = await reader
    .select({ order: orders, line: lines })
    .from(orders)
    .innerJoin(lines, eq(lines.orderId, orders.id))
    .where(inRange(orders.userId, range))
  const delivered = await reader
    .select({ unit: units, purchase: packPurchases })
    .from(orders)
    .innerJoin(units, eq(units.orderId, orders.id))
    .leftJoin(packPurchases, eq(packPurchases.id, units.packPurchaseId))
    .where(inRange(orders.userId, range))
    .orderBy(asc(units.unit))
  // The order of a merged fan has moved, but the items that it gave stay with the merged record.
  const given = await reader
    .select({ givenFor: items.givenFor, collectibleId: items.collectibleId })
    .from(users)
    .innerJoin(items, eq(items.userId, users.id))
    .where(
      and(
        like(items.givenFor, 'order:%'),
        or(and(inRange(users.id, range), isNull(users.mergedIntoId)), inRange(users.mergedIntoId, range)),
      ),
    )
  const unitsOf = Map.groupBy(delivered, ({ unit }) => `${unit.orderId} ${unit.line}`)
  const itemOf = new Map(given.map(({ givenFor, collectibleId }) => [givenFor, collectibleId]))
  const findings: Finding[] = []
  for (const { order, line } of rows) {
    const name = `${line.orderId} ${line.number}`
    findings.push(...lineFindings(order, line, unitsOf.get(name) ?? []), ...itemFindings(order, line, itemOf))
    unitsOf.delete(name)
  }
  const purchases = delivered.flatMap(({ unit }) => unit.packPurchaseId ?? [])
  for (const twice of findTwice(purchases))
    findings.push(...differs(null, `order_units.pack_purchase_id of ${twice}`, 1, 2))
  for (const [name, rest] of unitsOf)
    findings.push(...differs(null, `order_units.row of ${name}`, 0, rest.length))
  for (const [name, collectibleId] of itemOf)
    findings.push(...differs(null, `user_items.given_for of ${name}`, null, collectibleId))
  return findings
}

type Order = Tables['orders']['$inferSelect']
type Line = Tables['orderLines']['$inferSelect']
interface Delivered {
  unit: Tables['orderUnits']['$inferSelect']
  purchase: Tables['packPurchases']['$inferSelect'] | null
}

/** The members of `delivers` for each kind, of which one must be present. */
const GIVES: Record<string, readonly (keyof Delivers)[]> = {
  physical: [],
  voucher: [],
  pack: ['packId'],
  digital: ['collectibleId', 'file'],
}

function lineFindings(order: Order, line: Line, delivered: Delivered[]): Finding[] {
  const { userId, status, completedAt, expiresAt } = order
  const { kind, state, quantity, holdUntil, isSold } = line
  const nameOf = (column: string) => `order_lines.${column} of ${line.orderId} ${line.number}`
  const delivers = deliversOf(line.delivers)
  const isPhysical = kind === 'physical'
  const hasUnits = completedAt !== null && (kind === 'voucher' || kind === 'pack')
  const states = !completedAt
    ? ['none']
    : isPhysical
      ? ['none', 'ready', 'shipped', 'delivered', 'returned']
      : ['delivered', 'returned']
  const gives = GIVES[kind]
  const isOfKind = gives?.length
    ? gives.some(name => name in delivers)
    : !Object.values(GIVES)
        .flat()
        .some(name => name in delivers)
  const isSent = isPhysical && (state === 'shipped' || state === 'delivered')
  const mayBeSent = isSent || (isPhysical && state === 'returned')
  return [
    ...(states.includes(state) ? [] : differs(userId, nameOf('state'), states[0] ?? '', state)),
    ...(isOfKind && gives ? [] : differs(userId, nameOf('kind'), `a kind that gives ${line.delivers}`, kind)),
    ...(isPhysical && line.delivers !== null ? differs(userId, nameOf('delivers'), null, line.delivers) : []),
    ...(status === 'pending' ? differs(userId, nameOf('hold_until'), expiresAt, holdUntil) : []),
    ...(isSent ? differs(userId, nameOf('is_sold'), true, isSold) : []),
    ...(mayBeSent
      ? []
      : [
          ...differs(userId, nameOf('carrier'), null, line.carrier),
          ...differs(userId, nameOf('tracking'), null, line.tracking),
        ]),
    ...differs(
      userId,
      `order_units.unit of ${line.orderId} ${line.number}`,
      JSON.stringify(hasUnits ? Array.from({ length: quantity }, (_, index) => index + 1) : []),
      JSON.stringify(delivered.map(({ unit }) => unit.unit)),
    ),
    ...delivered.flatMap(({ unit, purchase }) => {
      const what = (column: string) => `order_units.${column} of ${unit.orderId} ${unit.line} ${unit.unit}`
      if (kind !== 'pack') return differs(userId, what('pack_purchase_id'), null, unit.packPurchaseId)
      // Not `voided_at`: version 1.0.0 set it for the packs of erased fans. The purchase tells whether a pack was taken back.
      return [
        ...differs(userId, what('pack_purchase_id'), delivers.packId ?? null, purchase?.packId ?? null),
        ...differs(userId, what('pack_purchase_id'), userId, purchase?.userId ?? null),
        ...differs(userId, what('pack_purchase_id'), 0, purchase?.priceAmount ?? null),
        ...differsInTime(userId, what('pack_purchase_id'), completedAt, purchase?.completedAt ?? null),
      ]
    }),
  ]
}

/** Guarantee of the cast: an import writes it. */
export const deliversOf = (text: string | null) => Object(readJson(text)) as Delivers

/** Checks the items of the line, and removes them from `itemOf`. */
function itemFindings(
  { userId, completedAt }: Order,
  line: Line,
  itemOf: Map<string | null, string>,
): Finding[] {
  const { collectibleId } = deliversOf(line.delivers)
  if (collectibleId === undefined || completedAt === null) return []
  return Array.from(
    { length: line.quantity },
    (_, index) => `order:${line.orderId}:${line.number}:${index + 1}`,
  ).flatMap(name => {
    const item = itemOf.get(name) ?? null
    itemOf.delete(name)
    return differs(userId, `user_items.given_for of ${name}`, collectibleId, item)
  })
}

function findTwice(ids: string[]): string[] {
  const seen = new Set<string>()
  return ids.filter(id => seen.has(id) || !seen.add(id))
}
