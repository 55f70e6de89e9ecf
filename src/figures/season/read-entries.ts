/** What the page *Season* names: entries of the catalogue with their prices and stock, matches, and what is held now. */
import { and, asc, count, desc, eq, gt, gte, lte, ne, sql } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { isUndelivered } from '../../delivery/webhooks/deliveries.ts'
import { type ResultKind, readClaims } from './read-counts.ts'

/** At most counted, so that an endpoint that is down for days slows nothing. */
const MAX_FAILED = 10_000
const FAILED_DAYS = 30
const MATCHES = 8

export interface Entry {
  kind: ResultKind
  id: string
  name: string
  active: boolean
  /** In points, or null. */
  price: number | null
  /** Null where it has no stock: rules, quests and sponsors. */
  stock: { total: number | null; left: number | null; gone: number } | null
}

const none = { price: null, stock: null }

/** The columns that are shown: the others would cost most of the time. */
const offered = ({ id, name, active, priceAmount, priceCurrency }: Tables['packs'] | Tables['products']) => ({
  id,
  name,
  active,
  priceAmount,
  priceCurrency,
})
const supplyOf = ({ supplyTotal, supplySold }: Tables['packs']) => ({ supplyTotal, supplySold })

/** Rules, quests, rewards, packs, products and sponsors. */
export async function readEntries(reader: Reader): Promise<Entry[]> {
  const { rules, quests, questVersions, rewards, packs, products, productVariants, sponsors } = reader.tables
  const claims = await readClaims(reader)
  const ofRules = await reader.select({ id: rules.id, name: rules.name, active: rules.active }).from(rules)
  const ofQuests = await reader
    .select({ id: quests.id, active: quests.active, entry: questVersions.entry })
    .from(quests)
    .innerJoin(
      questVersions,
      and(eq(questVersions.questId, quests.id), eq(questVersions.version, quests.version)),
    )
  const ofSponsors = await reader
    .select({ id: sponsors.id, name: sponsors.name, active: sponsors.active })
    .from(sponsors)
  const { id, title, active, pointsRequired, stockRemaining } = rewards
  const ofRewards = await reader.select({ id, title, active, pointsRequired, stockRemaining }).from(rewards)
  const ofPacks = await reader.select({ ...offered(packs), ...supplyOf(packs) }).from(packs)
  const ofProducts = await reader.select(offered(products)).from(products)
  const { productId, stockTotal, stockSold } = productVariants
  const ofVariants = await reader.select({ productId, stockTotal, stockSold }).from(productVariants)
  const variants = Map.groupBy(ofVariants, variant => variant.productId)
  const inPoints = (amount: number, currency: string) => (currency === 'POINTS' ? amount : null)
  return [
    ...ofRules.map(({ id, name, active }): Entry => ({ kind: 'rule', id, name, active, ...none })),
    ...ofQuests.map(
      ({ id, entry, active }): Entry => ({
        kind: 'quest',
        id,
        name: titleOf(entry),
        active,
        ...none,
      }),
    ),
    ...ofSponsors.map(({ id, name, active }): Entry => ({ kind: 'sponsor', id, name, active, ...none })),
    ...ofRewards.map(({ id, title, active, pointsRequired, stockRemaining }): Entry => {
      const gone = Math.max(0, claims.get(id) ?? 0)
      const total = stockRemaining === null ? null : stockRemaining + gone
      const stock = { total, left: stockRemaining, gone }
      return { kind: 'reward', id, name: title, active, price: pointsRequired, stock }
    }),
    ...ofPacks.map(({ id, name, active, priceAmount, priceCurrency, supplyTotal, supplySold }): Entry => {
      const left = supplyTotal === null ? null : supplyTotal - supplySold
      const stock = { total: supplyTotal, left, gone: supplySold }
      return { kind: 'pack', id, name, active, price: inPoints(priceAmount, priceCurrency), stock }
    }),
    ...ofProducts.map(({ id, name, active, priceAmount, priceCurrency }): Entry => {
      const own = variants.get(id) ?? []
      const gone = own.reduce((sum, variant) => sum + variant.stockSold, 0)
      const total = own.some(({ stockTotal }) => stockTotal === null)
        ? null
        : own.reduce((sum, variant) => sum + (variant.stockTotal ?? 0), 0)
      const stock = { total, left: total === null ? null : total - gone, gone }
      return { kind: 'product', id, name, active, price: inPoints(priceAmount, priceCurrency), stock }
    }),
  ]
}

/** Guarantee of the cast: a version of a quest has a title, a text or one in languages. */
function titleOf(entry: string): string {
  const { id, title } = JSON.parse(entry) as { id: string; title: string | Record<string, string> }
  return typeof title === 'string' ? title : (title.en ?? Object.values(title)[0] ?? id)
}

export async function readTeamNames(reader: Reader) {
  const { teams } = reader.tables
  return reader.select({ id: teams.id, name: teams.name }).from(teams).orderBy(asc(teams.name))
}

/** The last matches since an instant, newest first. */
export async function readLastMatches(reader: Reader, since: Date) {
  const { matches } = reader.tables
  const { id, homeTeamId, awayTeamId, kickoffAt } = matches
  return reader
    .select({ id, homeTeamId, awayTeamId, kickoffAt })
    .from(matches)
    .where(and(gte(kickoffAt, since), lte(kickoffAt, reader.now()), ne(matches.status, 'cancelled')))
    .orderBy(desc(kickoffAt), asc(id))
    .limit(MATCHES)
}

/** Points that are held for purchases now. */
export async function sumHeldPoints(reader: Reader): Promise<number> {
  const { pointsHolds } = reader.tables
  const [row] = await reader
    .select({ held: sql`coalesce(sum(${pointsHolds.amount}), 0)`.mapWith(Number) })
    .from(pointsHolds)
    .where(gt(pointsHolds.expiresAt, reader.now()))
  return row?.held ?? 0
}

/** Deliveries that were given up in the last 30 days, by endpoint. */
export async function countGivenUp(reader: Reader): Promise<Map<string, number>> {
  const { webhookDeliveries } = reader.tables
  const since = new Date(reader.now().getTime() - FAILED_DAYS * 86_400_000)
  const { endpointId, state, createdAt } = webhookDeliveries
  const latest = reader
    .select({ endpointId, state })
    .from(webhookDeliveries)
    .where(and(isUndelivered(reader), gte(createdAt, since)))
    .limit(MAX_FAILED)
    .as('latest')
  const rows = await reader
    .select({ id: latest.endpointId, failed: count() })
    .from(latest)
    .where(eq(latest.state, 'failed'))
    .groupBy(latest.endpointId)
  return new Map(rows.map(({ id, failed }) => [id, failed]))
}
