/** Compares when each membership starts or ends next, and whether its start was told, with its period. */
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import type { Finding } from '../../core/finding.ts'

/** Each row is one snapshot. */
export async function findWrongMemberships(reader: Reader, range: Range): Promise<Finding[]> {
  const { fanMemberships: memberships } = reader.tables
  const rows = await reader.select().from(memberships).where(inRange(memberships.userId, range))
  const now = reader.now()
  return rows.flatMap(({ userId, ref, startsAt, endsAt, begun, nextAt }): Finding[] => {
    // A task changes the state soon after its time.
    const isOver = endsAt <= now || startsAt.getTime() === endsAt.getTime()
    const expected = begun ? endsAt : isOver && nextAt === null ? null : startsAt
    if (expected?.getTime() !== nextAt?.getTime())
      return [
        {
          userId,
          what: `fan_memberships.next_at of ${ref}`,
          expected: expected?.toISOString() ?? null,
          actual: nextAt?.toISOString() ?? null,
        },
      ]
    return []
  })
}
