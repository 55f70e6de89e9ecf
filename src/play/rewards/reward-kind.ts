/**
 * Imports rewards. `stock` is the total number of units, so the remaining stock is `stock` minus the claims: importing the
 * same number again changes nothing, also after claims.
 */
import { count, eq, inArray, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { countRows } from '../../../db/pages.ts'
import {
  compareEntries,
  completeEntry,
  type EntryChange,
  instantOf,
  refuseEntry,
} from '../../club/catalogue/entry.ts'
import { availabilityMembers, EntrySlug, Line, Maybe, PictureUrl } from '../../club/catalogue/entry-schema.ts'
import { columnsIn, statedTexts, Text } from '../../club/catalogue/texts.ts'
import { SponsorId } from '../../club/sponsors/sponsorship.ts'
import { Closed, Integer } from '../../core/schemas.ts'
import type { Static } from '../../core/typebox.ts'
import { declareRestrictedKind } from '../eligibility/kind.ts'
import {
  columnsOfRequires,
  normalizeRequires,
  RequiresEntry,
  requiresOf,
  statedRequires,
} from '../eligibility/requires.ts'
import type { RewardRow } from './present.ts'
import { findReward } from './rewards.ts'

/** A reward in a catalogue file. */
export const RewardEntry = Closed(
  {
    id: EntrySlug('Slug of the reward.'),
    title: Text(100, 'What fans see.'),
    description: Text(2000, 'What the reward is, and how a fan gets it.'),
    imageUrl: Maybe(PictureUrl('Picture of it.')),
    itemType: Line(50, 'Kind of item: any text.'),
    pointsRequired: Integer({
      minimum: 0,
      description: 'Points required for a claim, which does not spend them.',
    }),
    stock: Maybe(
      Integer({
        minimum: 0,
        description: 'Total number of units, claimed ones included. Null: no limit.',
      }),
    ),
    requires: Maybe(RequiresEntry('What else a fan needs for a claim.')),
    sponsorId: SponsorId,
    ...availabilityMembers,
  },
  { title: 'Reward' },
)
export type RewardEntry = Static<typeof RewardEntry>

/** @throws DomainError `catalogue_conflict` when more were claimed than `stock` */
async function upsertReward(tx: Transaction, entry: RewardEntry): Promise<EntryChange> {
  const { rewards } = tx.tables
  const { id } = entry
  const now = tx.now()
  const columns = columnsIn(rewards, membersOf(entry))
  const [made] = await tx
    .insert(rewards)
    .values({ ...columns, id, stockRemaining: entry.stock ?? null, createdAt: now, updatedAt: now })
    .onConflictDoNothing()
    .returning()
  if (made) return changeOf(undefined, 0, entry)

  // Claims lock this row to take from the stock, so the count below is exact. A reward without a limit takes no lock;
  // the next import counts those claims. The key is not set: SQLite would check every claim that references it.
  const unchanged = { stockRemaining: sql`${rewards.stockRemaining}` }
  const [locked] = await tx.update(rewards).set(unchanged).where(eq(rewards.id, id)).returning()
  const claims = await countClaims(tx, id)
  const change = changeOf(locked, claims, entry)
  if (change.outcome === 'unchanged') return change
  const stockRemaining = entry.stock == null ? null : entry.stock - claims
  await tx
    .update(rewards)
    .set({ ...columns, stockRemaining, updatedAt: now })
    .where(eq(rewards.id, id))
  return change
}

function countClaims(reader: Reader, rewardId: string): Promise<number> {
  const { userRewards } = reader.tables
  return countRows(reader, userRewards, eq(userRewards.rewardId, rewardId))
}

function changeOf(row: RewardRow | undefined, claims: number, entry: RewardEntry): EntryChange {
  if (!row) return compareEntries(undefined, entry)
  if (entry.stock != null && entry.stock < claims) {
    refuseEntry({ pointer: '/stock', message: `must be at least ${claims}, the number of claims` })
  }
  const { stockRemaining } = row
  const { requiredHolding: _, requires: _r, ...members } = membersOf(entry)
  return compareEntries(
    {
      ...statedTexts(row),
      requires: requiresOf(row),
      stock: stockRemaining === null ? null : stockRemaining + claims,
    },
    { ...members, requires: normalizeRequires(entry.requires), stock: entry.stock ?? null },
  )
}

function membersOf(entry: RewardEntry) {
  const { id: _, stock: _s, requires, startsAt, endsAt, ...members } = completeEntry(RewardEntry, entry)
  return {
    ...members,
    ...columnsOfRequires(requires, ['requiredHolding']),
    startsAt: instantOf(startsAt),
    endsAt: instantOf(endsAt),
  }
}

/** The number of claims by reward. */
async function countClaimsOf(reader: Reader, rewardIds: string[]): Promise<Map<string, number>> {
  const { userRewards } = reader.tables
  const rows = await reader
    .select({ rewardId: userRewards.rewardId, claims: count() })
    .from(userRewards)
    .where(inArray(userRewards.rewardId, rewardIds))
    .groupBy(userRewards.rewardId)
  return new Map(rows.map(({ rewardId, claims }) => [rewardId, Number(claims)]))
}

function entryOf(row: RewardRow, claims: number): RewardEntry {
  const { startsAt, endsAt, stockRemaining } = row
  const stated = {
    ...statedTexts(row),
    stock: stockRemaining === null ? null : stockRemaining + claims,
    requires: statedRequires(row),
    startsAt: startsAt?.toISOString() ?? null,
    endsAt: endsAt?.toISOString() ?? null,
  }
  return completeEntry(RewardEntry, stated)
}

export const rewardKind = declareRestrictedKind({
  kind: 'reward',
  list: 'rewards',
  about: 'What fans with enough points can claim.',
  schema: RewardEntry,
  givesValue: true,
  table: ({ rewards }) => rewards,
  requiresOf: ({ requires }) => requires,
  plan: async (reader, entry) =>
    changeOf(await findReward(reader, entry.id), await countClaims(reader, entry.id), entry),
  upsert: upsertReward,
  async read(reader, ids) {
    const { rewards } = reader.tables
    const rows = await reader.select().from(rewards).where(inArray(rewards.id, ids))
    const limited = rows.filter(({ stockRemaining }) => stockRemaining !== null).map(({ id }) => id)
    const claims = limited.length === 0 ? new Map<string, number>() : await countClaimsOf(reader, limited)
    return rows.map(row => entryOf(row, claims.get(row.id) ?? 0))
  },
  takenBy: 'claim',
  async readInventory(reader, ids) {
    const { rewards } = reader.tables
    const { id, stockRemaining } = rewards
    const rows = await reader.select({ id, stockRemaining }).from(rewards).where(inArray(id, ids))
    const claims = await countClaimsOf(reader, ids)
    return new Map(
      rows.map(({ id, stockRemaining: left }) => {
        const taken = claims.get(id) ?? 0
        return [id, { total: left === null ? null : left + taken, taken }]
      }),
    )
  },
})
