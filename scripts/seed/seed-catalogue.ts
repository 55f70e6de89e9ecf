import { inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { rewards, teams } from './demo-catalogue.ts'
import { collectibles, packs, weightsOf } from './demo-packs.ts'

/** The creation time of the catalogue: before every fan. */
const at = {
  createdAt: new Date('2025-07-01T00:00:00.000Z'),
  updatedAt: new Date('2025-07-01T00:00:00.000Z'),
}

/** Writes the missing entries of the catalogue and returns their numbers; `rows` counts all tables. */
export async function seedCatalogue(tx: Transaction) {
  const [teams, rewards] = [await seedTeams(tx), await seedRewards(tx)]
  const { packs, rows } = await seedPacks(tx)
  return { teams, rewards, packs, rows: teams + rewards + rows }
}

/** Counts the missing entries of the catalogue: all if there is no database yet. */
export async function countMissing(reader: Reader | null) {
  if (!reader) return { teams: teams.length, rewards: rewards.length, packs: packs.length }
  const missing = async (table: 'teams' | 'rewards' | 'packs', ids: string[]) => {
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
  }
}

async function seedTeams(tx: Transaction): Promise<number> {
  const rows = teams.map(([id, name, shortName, city, country, primaryColor, secondaryColor]) => {
    return { id, name, shortName, city, country, primaryColor, secondaryColor, active: true, ...at }
  })
  return (await tx.insert(tx.tables.teams).values(rows).onConflictDoNothing().returning()).length
}

async function seedRewards(tx: Transaction): Promise<number> {
  const rows = rewards.map(({ stock, active = true, startsAt, endsAt, ...reward }) => ({
    ...reward,
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
    return { id, name, description, rarity, minted: 0, ...at }
  })
  const minted = await tx.insert(tx.tables.collectibles).values(moments).onConflictDoNothing().returning()
  const rows = packs.map(({ price, supply, active = true, odds: _, ...pack }) => ({
    ...pack,
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
