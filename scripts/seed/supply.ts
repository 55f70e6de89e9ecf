/**
 * Data that the fans of a seed share: rewards with their stock, packs with their supply, quests, and the rounds of the
 * season.
 */
import { asc, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { type Notification, readListening } from '../../src/club/notifications/notifications.ts'
import type { Rule } from '../../src/economy/rules/rule.ts'
import type { Weight } from '../../src/play/packs/draw.ts'
import { weightsProblem } from '../../src/play/packs/odds.ts'
import { countHolds, type PackRow, readItems } from '../../src/play/packs/packs.ts'
import { countUnsold } from '../../src/play/packs/supply.ts'
import type { Quest } from '../../src/play/quests/quest.ts'
import type { RewardRow } from '../../src/play/rewards/present.ts'
import type { ProductRow } from '../../src/play/shop/products.ts'
import { countFree, countHeld, nameOfVariant, type VariantRow } from '../../src/play/shop/stock.ts'
import { products as demoProducts } from './demo-products.ts'
import { type Round, readRounds } from './match-days.ts'
import { readDemoQuests } from './quest-rows.ts'
import { readDemoRules } from './rule-rows.ts'
import { readDemoSets, type SeedSet } from './set-rows.ts'

export interface Supply {
  /** The stock decreases as fans claim. */
  rewards: Map<string, RewardRow>
  packs: Map<string, PackOnSale>
  /** The demonstration products, by `nameOfVariant`. */
  variants: Map<string, VariantOnSale>
  /** The demonstration quests. */
  quests: Quest[]
  /** The demonstration rules. */
  rules: Rule[]
  /** The notifications, by type of event. */
  listening: ReadonlyMap<string, Notification[]>
  sets: SeedSet[]
  rounds: Round[]
}

interface PackOnSale {
  pack: PackRow
  weights: Weight[]
  /** Packs left to sell; decreases as fans buy. Infinite without a limit. */
  free: number
}

export interface VariantOnSale {
  product: ProductRow
  variant: VariantRow
  listed: boolean
  /** Units that are neither sold nor held; changes as fans buy. Infinite without a limit. */
  free: number
}

/** Earlier than every purchase, so that every open hold counts. */
export const BEFORE_ALL = new Date(0)

export async function readSupply(reader: Reader): Promise<Supply> {
  const rewards = await reader.select().from(reader.tables.rewards)
  const packs = await reader.select().from(reader.tables.packs).orderBy(asc(reader.tables.packs.id))
  const ids = packs.map(({ id }) => id)
  const items = await readItems(reader, ids)
  const holds = await countHolds(reader, ids, BEFORE_ALL)
  const onSale = packs.flatMap(pack => {
    const weights = (items.get(pack.id) ?? []).map(({ id, rarity, weight }) => ({ id, rarity, weight }))
    const free = countUnsold(pack) - (holds.get(pack.id) ?? 0)
    return weightsProblem(weights) ? [] : [{ pack, weights, free }]
  })
  return {
    rewards: new Map(rewards.map(reward => [reward.id, reward])),
    quests: await readDemoQuests(reader),
    rules: await readDemoRules(reader),
    listening: await readListening(reader),
    sets: await readDemoSets(reader),
    rounds: await readRounds(reader),
    packs: new Map(onSale.map(entry => [entry.pack.id, entry])),
    variants: await readVariantsOnSale(reader),
  }
}

async function readVariantsOnSale(reader: Reader): Promise<Supply['variants']> {
  const { products, productVariants } = reader.tables
  const rows = await reader
    .select({ product: products, variant: productVariants })
    .from(productVariants)
    .innerJoin(products, eq(products.id, productVariants.productId))
    .where(
      inArray(
        products.id,
        demoProducts.map(({ id }) => id),
      ),
    )
  const named = rows.map(({ product, variant }) => {
    const reference = { productId: product.id, variantId: variant.id }
    return { product, variant, reference, name: nameOfVariant(reference) }
  })
  const held = await countHeld(
    reader,
    named.map(({ reference }) => reference),
    reader.now(),
  )
  return new Map(
    named.map(({ name, product, variant }) => [
      name,
      { product, variant, listed: variant.listed, free: countFree(variant, held) },
    ]),
  )
}
