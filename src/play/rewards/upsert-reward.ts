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
import { declareKind, type ImportOptions } from '../../club/catalogue/kind.ts'
import { columnsOfTexts, statedTexts } from '../../club/catalogue/texts.ts'
import { rewardsTag } from '../../platform/cache/tags.ts'
import { refuseUnknown } from '../eligibility/eligibility.ts'
import {
  normalizeRequires,
  requiresFaults,
  requiresOf,
  statedRequires,
  storedHolds,
  storedRequires,
} from '../eligibility/requires.ts'
import { findReward } from './catalogue.ts'
import { RewardEntry } from './entry-schema.ts'
import type { RewardRow } from './present.ts'

/** @throws DomainError `catalogue_conflict` when more were claimed than `stock`, and as `refuseUnknown` */
async function upsertReward(
  tx: Transaction,
  entry: RewardEntry,
  options?: ImportOptions,
): Promise<EntryChange> {
  const { rewards } = tx.tables
  const { id } = entry
  tx.invalidate(rewardsTag)
  await refuseUnknown(tx, entry.requires, options)
  const now = tx.now()
  const columns = columnsOfTexts(membersOf(entry))
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
  const { holds, ...others } = requires ?? {}
  return {
    ...members,
    requiredHolding: storedHolds(holds),
    requires: storedRequires(others),
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

export const rewardKind = declareKind({
  kind: 'reward',
  list: 'rewards',
  about: 'What fans with enough points can claim.',
  schema: RewardEntry,
  givesValue: true,
  table: ({ rewards }) => rewards,
  faults: ({ requires }) => requiresFaults(requires),
  async plan(reader, entry, options) {
    await refuseUnknown(reader, entry.requires, options)
    return changeOf(await findReward(reader, entry.id), await countClaims(reader, entry.id), entry)
  },
  upsert: upsertReward,
  async read(reader, ids) {
    const { rewards } = reader.tables
    const rows = await reader.select().from(rewards).where(inArray(rewards.id, ids))
    const limited = rows.filter(({ stockRemaining }) => stockRemaining !== null).map(({ id }) => id)
    const claims = limited.length === 0 ? new Map<string, number>() : await countClaimsOf(reader, limited)
    return rows.map(row => entryOf(row, claims.get(row.id) ?? 0))
  },
})
