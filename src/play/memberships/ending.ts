/** Memberships that end soon. */
import { and, asc, eq, gt, lte, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'

/** Memberships after a reference, by reference, that end in this time and that no other of their kind follows. */
export const selectEnding = prepared(
  (
    reader: Reader,
    { now, until, after, limit }: { now: Date; until: Date; after: string; limit: number },
  ) => {
    const { fanMemberships: rows } = reader.tables
    const isFollowed = sql`exists (select 1 from ${rows} later where later.user_id = ${rows.userId}
      and later.kind_id = ${rows.kindId} and later.ends_at > ${rows.endsAt})`
    return reader
      .select({ ref: rows.ref, userId: rows.userId, kindId: rows.kindId, endsAt: rows.endsAt })
      .from(rows)
      .where(
        and(
          eq(rows.begun, true),
          eq(rows.nextAt, rows.endsAt),
          gt(rows.nextAt, now),
          lte(rows.nextAt, until),
          gt(rows.ref, after),
          sql`not ${isFollowed}`,
        ),
      )
      .orderBy(asc(rows.ref))
      .limit(limit)
  },
)
