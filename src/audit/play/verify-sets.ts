/** Compares each completed set with its ledger entry, which nobody can change. */
import { and, eq, gt, isNull, ne, or } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import type { Finding } from '../../core/finding.ts'

/** Each statement is one snapshot: a completion and its entry are written together. */
export async function findWrongSets(reader: Reader, range: Range): Promise<Finding[]> {
  const { setCompletions: completions, pointsEntries: entries } = reader.tables
  const isEntry = and(
    eq(entries.userId, completions.userId),
    eq(entries.reason, 'set'),
    eq(entries.ref, completions.setId),
  )
  const rows = await reader
    .select({ completion: completions, entry: entries })
    .from(completions)
    .leftJoin(entries, isEntry)
    .where(
      and(
        inRange(completions.userId, range),
        or(
          and(isNull(entries.id), gt(completions.points, 0)),
          ne(entries.delta, completions.points),
          ne(entries.createdAt, completions.completedAt),
        ),
      ),
    )
  const without = await reader
    .select({ userId: entries.userId, setId: entries.ref, seq: entries.seq })
    .from(entries)
    .leftJoin(completions, isEntry)
    .where(and(inRange(entries.userId, range), eq(entries.reason, 'set'), isNull(completions.setId)))
  return [
    ...rows.flatMap(({ completion, entry }) => {
      const { userId, setId, points, completedAt } = completion
      const found = (column: string, expected: string | number, actual: string | number): Finding[] =>
        expected === actual
          ? []
          : [{ userId, what: `set_completions.${column} of ${setId}`, expected, actual }]
      return [
        ...found('points', entry?.delta ?? 0, points),
        ...found('completed_at', (entry?.createdAt ?? completedAt).toISOString(), completedAt.toISOString()),
      ]
    }),
    ...without.map(({ userId, setId, seq }) => ({
      userId,
      what: `set_completions.row of ${setId}`,
      seq,
      expected: userId,
      actual: null,
    })),
  ]
}
