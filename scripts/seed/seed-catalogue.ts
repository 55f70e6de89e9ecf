import { hash } from 'node:crypto'
import { inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import type { EntryKind } from '../../src/club/catalogue/kind.ts'
import { columnsOfTexts } from '../../src/club/catalogue/texts.ts'
import { readVersion } from '../../src/club/catalogue/versions.ts'
import { documentKind } from '../../src/club/documents/document-kind.ts'
import { matchKind } from '../../src/club/matches/match-kind.ts'
import type { MatchRow } from '../../src/club/matches/matches.ts'
import { playerKind } from '../../src/club/players/player-kind.ts'
import { seasonKind } from '../../src/club/seasons/season-kind.ts'
import { sponsorKind } from '../../src/club/sponsors/sponsor-kind.ts'
import { teamKind } from '../../src/club/teams/team-kind.ts'
import { ruleKind } from '../../src/economy/rules/rule-kind.ts'
import { packKind } from '../../src/play/packs/pack-kind.ts'
import type { PredictionPoints } from '../../src/play/predictions/score.ts'
import { toStored } from '../../src/play/quests/quest.ts'
import { questKind } from '../../src/play/quests/quest-kind.ts'
import { rewardKind } from '../../src/play/rewards/reward-kind.ts'
import { setKind } from '../../src/play/sets/set-kind.ts'
import type { ProductEntry } from '../../src/play/shop/entry-schema.ts'
import { productKind } from '../../src/play/shop/product-kind.ts'
import { type Calendar, calendarOf, readCalendar } from './calendar.ts'
import { rewards, teams } from './demo-catalogue.ts'
import { documents } from './demo-documents.ts'
import { matchesOf, matchIds, sponsored as sponsoredMatches } from './demo-matches.ts'
import { collectibles, packs, weightsOf } from './demo-packs.ts'
import { players } from './demo-players.ts'
import { products, type SeedProduct } from './demo-products.ts'
import { questsOf } from './demo-quests.ts'
import { rulesOf } from './demo-rules.ts'
import { seasonsOf } from './demo-seasons.ts'
import { sets } from './demo-sets.ts'
import { sponsors } from './demo-sponsors.ts'
import { pictureUrl } from './pictures/address.ts'
import { inLanguages } from './texts/texts.ts'

/** From kick-off to the report of the result. */
const MATCH_MS = 2 * 3_600_000

/** The entries of a kind in the demonstration. */
interface Part extends Pick<EntryKind<never>, 'table'> {
  ids: readonly string[]
  /** Writes those that are missing. `rows` counts all tables. */
  write(
    tx: Transaction,
    calendar: Calendar,
    points: PredictionPoints,
  ): Promise<{ made: number; rows: number }>
}

/** In the order of an import. */
const partsOf = (calendar: Calendar) =>
  ({
    teams: { table: teamKind.table, ids: teams.map(([id]) => id), write: seedTeams },
    players: byVerb(
      playerKind,
      players.map(({ entry }) => entry),
    ),
    // And the version of the catalogue.
    seasons: byVerb(seasonKind, seasonsOf(calendar), () => 2),
    sponsors: byVerb(sponsorKind, sponsors),
    documents: byVerb(documentKind, documents, () => 2),
    rewards: { table: rewardKind.table, ids: idsOf(rewards), write: seedRewards },
    packs: { table: packKind.table, ids: idsOf(packs), write: seedPacks },
    matches: { table: matchKind.table, ids: matchIds, write: seedMatches },
    // An entry, its version, and the version of the catalogue; and what a quest requires.
    rules: byVerb(ruleKind, rulesOf(calendar), () => 3),
    quests: byVerb(questKind, questsOf(calendar), quest => 3 + (toStored(quest).requires ?? []).length),
    sets: byVerb(
      setKind,
      sets.map(set => ({ ...set, name: inLanguages(set.name) })),
      ({ collectibleIds }) => 1 + collectibleIds.length,
    ),
    products: byVerb(
      productKind,
      products.map(product => inShop(product, calendar)),
      ({ variants }) => 1 + variants.length,
    ),
  }) satisfies Record<string, Part>

type SeedList = keyof ReturnType<typeof partsOf>
export type SeededEntries = Record<SeedList, number>

/** Guarantee of the cast: the keys of the constant. */
export const SEED_LISTS = Object.keys(partsOf(calendarOf(new Date(0)))) as SeedList[]

const counted = (numbers: [SeedList, number][]) =>
  // Guarantee of the cast: callers have a number for each list.
  Object.fromEntries(numbers) as SeededEntries

/** Writes the missing entries of the catalogue and returns their numbers; `rows` counts all tables. */
export async function seedCatalogue(tx: Transaction, points: PredictionPoints, instant = tx.now()) {
  const calendar = await readCalendar(tx, instant)
  const parts = partsOf(calendar)
  const numbers: [SeedList, number][] = []
  let rows = 0
  for (const list of SEED_LISTS) {
    const written = await parts[list].write(tx, calendar, points)
    numbers.push([list, written.made])
    rows += written.rows
  }
  return { ...counted(numbers), rows }
}

/** Counts the missing entries of the catalogue: all if there is no database yet. */
export async function countMissing(reader: Reader | null, instant: Date): Promise<SeededEntries> {
  const parts = partsOf(await readCalendar(reader, instant))
  const numbers = SEED_LISTS.map(async (list): Promise<[SeedList, number]> => {
    const part = parts[list]
    const found = reader ? await findIds(reader, part) : new Set()
    return [list, part.ids.length - found.size]
  })
  return counted(await Promise.all(numbers))
}

async function findIds(reader: Reader, { table, ids }: Omit<Part, 'write'>): Promise<Set<string>> {
  const entries = table(reader.tables)
  const rows = await reader.select({ id: entries.id }).from(entries).where(inArray(entries.id, ids))
  return new Set(rows.map(({ id }) => id))
}

function idsOf(entries: readonly { id: string }[]): string[] {
  return entries.map(({ id }) => id)
}

/** Entries that the verb of their kind writes, at the time of the catalogue. */
function byVerb<Entry extends { id: string }>(
  kind: EntryKind<Entry>,
  entries: readonly Entry[],
  rowsOf: (entry: Entry) => number = () => 1,
): Part {
  const part = { table: kind.table, ids: idsOf(entries) }
  return {
    ...part,
    async write(real, calendar) {
      const found = await findIds(real, part)
      const missing = entries.filter(({ id }) => !found.has(id))
      for (const entry of missing) await withVersion(real, entry, calendar, tx => kind.upsert(tx, entry))
      return { made: missing.length, rows: missing.reduce((rows, entry) => rows + rowsOf(entry), 0) }
    },
  }
}

const madeAt = ({ created }: Calendar) => ({ createdAt: created, updatedAt: created })

async function seedTeams(tx: Transaction, calendar: Calendar) {
  const at = madeAt(calendar)
  const rows = teams.map(([id, name, shortName, city, country, primaryColor, secondaryColor]) => {
    const crestUrl = pictureUrl('crests', id)
    const texts = { name: inLanguages(name), city: inLanguages(city) }
    const columns = { id, shortName, country, primaryColor, secondaryColor, crestUrl, active: true, ...at }
    return columnsOfTexts({ ...columns, ...texts })
  })
  const written = await tx.insert(tx.tables.teams).values(rows).onConflictDoNothing().returning()
  return { made: written.length, rows: written.length }
}

/** Also writes the settlements of played matches, in their state after all predictions are settled. */
async function seedMatches(tx: Transaction, calendar: Calendar, points: PredictionPoints) {
  const at = madeAt(calendar)
  const { matches: table, matchSettlements } = tx.tables
  const rows = matchesOf(calendar).map(match => ({ ...match, ...at }))
  const written = await tx.insert(table).values(rows).onConflictDoNothing().returning()
  const played = written.filter(({ status }) => status === 'finished')
  if (played.length > 0)
    await tx.insert(matchSettlements).values(played.map(match => settlementOf(match, points)))
  await nameSponsors(tx, matchKind, sponsoredMatches, written, calendar)
  return { made: written.length, rows: written.length + played.length }
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

async function seedRewards(tx: Transaction, calendar: Calendar) {
  const at = madeAt(calendar)
  const { inDays } = calendar
  const rows = rewards.map(({ stock, active = true, startsIn, endsIn, sponsorId: _, ...reward }) => ({
    ...columnsOfTexts({
      ...reward,
      title: inLanguages(reward.title),
      description: inLanguages(reward.description),
    }),
    imageUrl: pictureUrl('rewards', reward.id),
    active,
    stockRemaining: stock ?? null,
    startsAt: startsIn === undefined ? null : inDays(startsIn),
    endsAt: endsIn === undefined ? null : inDays(endsIn),
    ...at,
  }))
  const written = await tx.insert(tx.tables.rewards).values(rows).onConflictDoNothing().returning()
  await nameSponsors(tx, rewardKind, rewards, written, calendar)
  return { made: written.length, rows: written.length }
}

async function seedPacks(tx: Transaction, calendar: Calendar) {
  const at = madeAt(calendar)
  const moments = collectibles.map(([id, name, description, rarity]) => {
    const texts = { name: inLanguages(name), description: inLanguages(description) }
    return columnsOfTexts({ id, ...texts, rarity, imageUrl: pictureUrl('cards', id), minted: 0, ...at })
  })
  const minted = await tx.insert(tx.tables.collectibles).values(moments).onConflictDoNothing().returning()
  const rows = packs.map(({ price, supply, active = true, odds: _, sponsorId: _s, ...pack }) => ({
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
  await nameSponsors(tx, packKind, packs, insertedPacks, calendar)
  return { made: insertedPacks.length, rows: minted.length + insertedPacks.length + insertedItems.length }
}

/** By the verb: what fans do with an entry counts for the sponsor that its history names. */
async function nameSponsors<Entry extends { id: string; sponsorId?: string | null | undefined }>(
  real: Transaction,
  kind: EntryKind<Entry>,
  named: readonly { id: string; sponsorId?: string }[],
  written: readonly { id: string }[],
  calendar: Calendar,
) {
  for (const { id, sponsorId } of named) {
    if (sponsorId === undefined || !written.some(one => one.id === id)) continue
    const [entry] = await kind.read(real, [id])
    if (!entry) throw new Error(`${id} is not written`)
    const sponsored = { ...entry, sponsorId }
    await withVersion(real, sponsored, calendar, tx => kind.upsert(tx, sponsored))
  }
}

function inShop({ startsIn, ...product }: SeedProduct, { inDays }: Calendar): ProductEntry {
  return {
    ...product,
    ...(startsIn === undefined ? {} : { startsAt: inDays(startsIn).toISOString() }),
    name: inLanguages(product.name),
    description: inLanguages(product.description),
    images: [pictureUrl('products', product.id)],
    variants: product.variants.map(variant => ({ ...variant, name: nameOf(variant) })),
  }
}

/** A size is the same in all languages. */
function nameOf({ name }: { name: string }) {
  return name.length <= 2 ? name : inLanguages(name)
}

/** Imports an entry at the time of the catalogue, as a new version of what listens to events. */
async function withVersion(
  real: Transaction,
  entry: object,
  { created }: Calendar,
  upsert: (tx: Transaction) => Promise<unknown>,
): Promise<void> {
  const before = await readVersion(real)
  // The same for the same seed, and unique, since it covers every earlier change.
  const version = hash('sha256', JSON.stringify([before, entry]), 'hex')
  const sources = { now: () => created, newId: () => version }
  await upsert(Object.assign(Object.create(real), sources) as Transaction)
}
