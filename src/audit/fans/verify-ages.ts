/** Compares what is known of the age of a fan with the last row of its history. */
import { and, asc, eq, isNull } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { differs, type Finding } from '../../core/finding.ts'

/** Needs a snapshot. An erased record has no age. The history of a record that older versions wrote begins with its next change. */
export async function findWrongAges(reader: Reader, range: Range): Promise<Finding[]> {
  const { ageChanges, users } = reader.tables
  const rows = await reader
    .select({ change: ageChanges, known: users })
    .from(ageChanges)
    .innerJoin(users, and(eq(users.id, ageChanges.userId), isNull(users.erasedAt)))
    .where(inRange(ageChanges.userId, range))
    .orderBy(asc(ageChanges.userId), asc(ageChanges.seq))
  return [...Map.groupBy(rows, ({ known }) => known.id)].flatMap(([userId, changes]) => {
    const last = changes.at(-1)
    if (!last) return []
    const { change, known } = last
    return [
      ...differs(userId, 'age_changes.seq', changes.length, change.seq),
      ...differs(userId, 'users.age_band', change.ageBand, known.ageBand),
      ...differs(userId, 'users.age_source', change.source, known.ageSource),
      ...differs(userId, 'users.guardian_consent', change.guardianConsent, known.guardianConsent),
    ]
  })
}
