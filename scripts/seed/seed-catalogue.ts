import { hash } from 'node:crypto'
import { inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { columnsOfTexts } from '../../src/club/catalogue/texts.ts'
import { readVersion } from '../../src/club/catalogue/versions.ts'
import type { MatchRow } from '../../src/club/matches/matches.ts'
import { upsertRule } from '../../src/economy/rules/upsert-rule.ts'
import type { PredictionPoints } from '../../src/play/predictions/score.ts'
import { upsertQuest } from '../../src/play/quests/upsert-quest.ts'
import { setKind } from '../../src/play/sets/upsert-set.ts'
import { productKind } from '../../src/play/shop/upsert-product.ts'
import { rewards, teams } from './demo-catalogue.ts'
import { matches } from './demo-matches.ts'
import { collectibles, packs, weightsOf } from './demo-packs.ts'
import { products, type SeedProduct } from './demo-products.ts'
import { quests } from './demo-quests.ts'
import { rules } from './demo-rules.ts'
import { sets } from './demo-sets.ts'
import { pictureUrl } from './pictures/address.ts'
import { inLanguages } from './texts/texts.ts'

/** From kick-off to the report of the result. */
const MATCH_MS = 2 * 3_600_000

/** The creation time of the catalogue: before every fan. */
const at = {
  createdAt: new Date('2025-07-01T00:00:00.000Z'),
  updatedAt: new Date('2025-07-01T00:00:00.000Z'),
}

/** Writes the missing entries of the catalogue and returns their numbers; `rows` counts all tables. */
export async function seedCatalogue(tx: Transaction, predictionPoints: PredictionPoints) {
  const [teams, rewards] = [await seedTeams(tx), await seedRewards(tx)]
  const { packs, rows } = await seedPacks(tx)
  const { matches, settlements } = await seedMatches(tx, predictionPoints)
  const rules = await seedRules(tx)
  const quests = await seedQuests(tx)
  const sets = await seedSets(tx)
  const products = await seedProducts(tx)
  // An entry, its version, and the version of the catalogue; and what a quest requires.
  const versioned = 3 * (rules + quests.length) + quests.flatMap(({ requires = [] }) => requires).length
  const setRows = sets.length + sets.flatMap(({ collectibleIds }) => collectibleIds).length
  const productRows = products.length + products.flatMap(({ variants }) => variants).length
  const numbers = { quests: quests.length, sets: sets.length, products: products.length }
  const made = { teams, rewards, packs, matches, rules, ...numbers }
  return { ...made, rows: teams + rewards + rows + matches + settlements + versioned + setRows + productRows }
}

/** Counts the missing entries of the catalogue: all if there is no database yet. */
export async function countMissing(reader: Reader | null) {
  if (!reader) {
    const counts = { teams: teams.length, rewards: rewards.length, packs: packs.length }
    const listening = { rules: rules.length, quests: quests.length }
    return {
      ...counts,
      matches: matches.length,
      ...listening,
      sets: sets.length,
      products: products.length,
    }
  }
  const missing = async (
    table: 'teams' | 'rewards' | 'packs' | 'matches' | 'rules' | 'quests' | 'sets' | 'products',
    ids: string[],
  ) => {
    const { id } = reader.tables[table]
    const rows = await reader.select({ id }).from(reader.tables[table]).where(inArray(id, ids))
    return ids.length - rows.length
  }
  const idOf = ({ id }: { id: string }) => id
  return {
    teams: await missing(
      'teams',
      teams.map(([id]) => id),
    ),
    rewards: await missing('rewards', rewards.map(idOf)),
    packs: await missing('packs', packs.map(idOf)),
    matches: await missing('matches', matches.map(idOf)),
    rules: await missing('rules', rules.map(idOf)),
    quests: await missing('quests', quests.map(idOf)),
    sets: await missing('sets', sets.map(idOf)),
    products: await missing('products', products.map(idOf)),
  }
}

async function seedTeams(tx: Transaction): Promise<number> {
  const rows = teams.map(([id, name, shortName, city, country, primaryColor, secondaryColor]) => {
    const crestUrl = pictureUrl('crests', id)
    const texts = { name: inLanguages(name), city: inLanguages(city) }
    const columns = { id, shortName, country, primaryColor, secondaryColor, crestUrl, active: true, ...at }
    return columnsOfTexts({ ...columns, ...texts })
  })
  return (await tx.insert(tx.tables.teams).values(rows).onConflictDoNothing().returning()).length
}

/** With the settlements of played matches, as they are when every prediction is settled. */
async function seedMatches(tx: Transaction, points: PredictionPoints) {
  const { matches: table, matchSettlements } = tx.tables
  const rows = matches.map(match => ({ ...match, ...at }))
  const written = await tx.insert(table).values(rows).onConflictDoNothing().returning()
  const played = written.filter(({ status }) => status === 'finished')
  if (played.length > 0)
    await tx.insert(matchSettlements).values(played.map(match => settlementOf(match, points)))
  return { matches: written.length, settlements: played.length }
}

function settlementOf(
  { id: matchId, season, revision, homeScore, awayScore, kickoffAt }: MatchRow,
  { outcome, difference, exact }: PredictionPoints,
) {
  const revisedAt = new Date(kickoffAt.getTime() + MATCH_MS)
  const result = { action: 'settle', homeScore, awayScore, kickoffAt, revisedAt }
  const points = { pointsOutcome: outcome, pointsDifference: difference, pointsExact: exact }
  return { matchId, season, revision, ...result, ...points, cursor: '', lastPass: true, dueAt: null }
}

async function seedRewards(tx: Transaction): Promise<number> {
  const rows = rewards.map(({ stock, active = true, startsAt, endsAt, ...reward }) => ({
    ...columnsOfTexts({
      ...reward,
      title: inLanguages(reward.title),
      description: inLanguages(reward.description),
    }),
    imageUrl: pictureUrl('rewards', reward.id),
    active,
    stockRemaining: stock ?? null,
    startsAt: startsAt ? new Date(startsAt) : null,
    endsAt: endsAt ? new Date(endsAt) : null,
    ...at,
  }))
  return (await tx.insert(tx.tables.rewards).values(rows).onConflictDoNothing().returning()).length
}

async function seedPacks(tx: Transaction): Promise<{ packs: number; rows: number }> {
  const moments = collectibles.map(([id, name, description, rarity]) => {
    const texts = { name: inLanguages(name), description: inLanguages(description) }
    return columnsOfTexts({ id, ...texts, rarity, imageUrl: pictureUrl('cards', id), minted: 0, ...at })
  })
  const minted = await tx.insert(tx.tables.collectibles).values(moments).onConflictDoNothing().returning()
  const rows = packs.map(({ price, supply, active = true, odds: _, ...pack }) => ({
    ...columnsOfTexts({
      ...pack,
      name: inLanguages(pack.name),
      description: inLanguages(pack.description),
    }),
    imageUrl: pictureUrl('packs', pack.id),
    priceAmount: price.amount,
    priceCurrency: price.currency,
    supplyTotal: supply ?? null,
    supplySold: 0,
    active,
    ...at,
  }))
  const insertedPacks = await tx.insert(tx.tables.packs).values(rows).onConflictDoNothing().returning()
  const items = packs.flatMap(pack =>
    weightsOf(pack).map(({ id, weight }) => ({ packId: pack.id, collectibleId: id, weight })),
  )
  const insertedItems = await tx.insert(tx.tables.packItems).values(items).onConflictDoNothing().returning()
  return { packs: insertedPacks.length, rows: minted.length + insertedPacks.length + insertedItems.length }
}

async function seedRules(real: Transaction): Promise<number> {
  const { id } = real.tables.rules
  const found = new Set((await real.select({ id }).from(real.tables.rules)).map(rule => rule.id))
  const missing = rules.filter(rule => !found.has(rule.id))
  for (const rule of missing) await withVersion(real, rule, tx => upsertRule(tx, rule))
  return missing.length
}

async function seedQuests(real: Transaction) {
  const { id } = real.tables.quests
  const found = new Set((await real.select({ id }).from(real.tables.quests)).map(quest => quest.id))
  const missing = quests.filter(quest => !found.has(quest.id))
  for (const quest of missing) await withVersion(real, quest, tx => upsertQuest(tx, quest))
  return missing
}

async function seedSets(real: Transaction) {
  const { id } = real.tables.sets
  const found = new Set((await real.select({ id }).from(real.tables.sets)).map(set => set.id))
  const missing = sets.filter(set => !found.has(set.id))
  const tx = Object.assign(Object.create(real), { now: () => at.createdAt }) as Transaction
  for (const set of missing) await setKind.upsert(tx, { ...set, name: inLanguages(set.name) })
  return missing
}

async function seedProducts(real: Transaction): Promise<SeedProduct[]> {
  const { id } = real.tables.products
  const found = new Set((await real.select({ id }).from(real.tables.products)).map(product => product.id))
  const missing = products.filter(product => !found.has(product.id))
  const tx = Object.assign(Object.create(real), { now: () => at.createdAt }) as Transaction
  for (const product of missing)
    await productKind.upsert(tx, {
      ...product,
      name: inLanguages(product.name),
      description: inLanguages(product.description),
      images: [pictureUrl('products', product.id)],
      variants: product.variants.map(variant => ({ ...variant, name: nameOf(variant) })),
    })
  return missing
}

/** A size is the same in all languages. */
const nameOf = ({ name }: { name: string }) => (name.length <= 2 ? name : inLanguages(name))

/** Imports an entry at the time of the catalogue, as a new version of what listens to events. */
async function withVersion(
  real: Transaction,
  entry: object,
  upsert: (tx: Transaction) => Promise<unknown>,
): Promise<void> {
  const before = await readVersion(real)
  // The same for the same seed, and unique: it covers every earlier change.
  const version = hash('sha256', JSON.stringify([before, entry]), 'hex')
  const sources = { now: () => at.createdAt, newId: () => version }
  await upsert(Object.assign(Object.create(real), sources) as Transaction)
}
