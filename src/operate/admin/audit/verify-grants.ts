/** Compares each grant with its ledger entry, which nobody can change. */
import { eq, isNull, ne, or } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import type { Finding } from './finding.ts'

/** Maximum of grants with findings. */
const MAX_GRANTS = 1_000

/** One statement, and so one snapshot: a grant and its entry are written together. */
export async function findWrongGrants(reader: Reader): Promise<Finding[]> {
  const { pointsGrants: grants, pointsEntries: entries } = reader.tables
  const rows = await reader
    .select({ grant: grants, entry: entries })
    .from(grants)
    .leftJoin(entries, eq(entries.id, grants.entryId))
    .where(
      or(
        isNull(entries.id),
        ne(entries.reason, 'adjustment'),
        ne(entries.userId, grants.userId),
        ne(entries.delta, grants.delta),
        ne(entries.ref, grants.ref),
        ne(entries.createdAt, grants.createdAt),
      ),
    )
    .limit(MAX_GRANTS)
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
