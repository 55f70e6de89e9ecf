/** Compares each grant with its ledger entry, which nobody can change. */
import { and, eq, isNotNull, isNull, ne, or } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import type { Finding } from '../../core/finding.ts'

/** Maximum of grants with findings. */
const MAX_GRANTS = 1_000

/** Each statement is one snapshot: a grant and its entry are written together. */
export async function findWrongGrants(reader: Reader): Promise<Finding[]> {
  const { pointsGrants: grants, pointsEntries, accountEntries } = reader.tables
  const isWrong = (entries: typeof pointsEntries | typeof accountEntries) =>
    or(
      isNull(entries.id),
      ne(entries.reason, 'adjustment'),
      ne(entries.userId, grants.userId),
      ne(entries.delta, grants.delta),
      ne(entries.ref, grants.ref),
      ne(entries.createdAt, grants.createdAt),
    )
  const spendable = await reader
    .select({ grant: grants, entry: pointsEntries })
    .from(grants)
    .leftJoin(pointsEntries, eq(pointsEntries.id, grants.entryId))
    .where(and(isNull(grants.accountId), isWrong(pointsEntries)))
    .limit(MAX_GRANTS)
  const isIn = and(eq(accountEntries.id, grants.entryId), eq(accountEntries.accountId, grants.accountId))
  const kept = await reader
    .select({ grant: grants, entry: accountEntries })
    .from(grants)
    .leftJoin(accountEntries, isIn)
    .where(and(isNotNull(grants.accountId), isWrong(accountEntries)))
    .limit(MAX_GRANTS)
  const rows = [...spendable, ...kept]
  return rows.flatMap(({ grant, entry }) => {
    const { userId } = grant
    if (entry?.reason !== 'adjustment')
      return [{ userId, what: 'points_grants.entry_id', expected: 'an adjustment', actual: grant.entryId }]
    const { seq } = entry
    const found = (column: string, expected: string | number, actual: string | number): Finding[] =>
      expected === actual ? [] : [{ userId, what: `points_grants.${column}`, seq, expected, actual }]
    return [
      ...found('user_id', entry.userId, userId),
      ...found('delta', entry.delta, grant.delta),
      ...found('ref', entry.ref, grant.ref),
      ...found('created_at', entry.createdAt.toISOString(), grant.createdAt.toISOString()),
    ]
  })
}
