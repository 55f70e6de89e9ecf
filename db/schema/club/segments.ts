/** Segments of fans, and who was in those that are tracked. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineSegmentsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** The importer sets the id, a slug. */
  const segments = table('segments', {
    id: id().primaryKey(),
    name: text().notNull(),
    /** JSON: the texts that exist in several languages. Their columns have the default. */
    translations: text(),
    /** JSON: the conditions. */
    definition: text().notNull(),
    /** Whether `segment.entered` and `segment.left` are recorded. */
    tracked: boolean().notNull().default(false),
    active: boolean().notNull(),
    createdAt: timestamp().notNull(),
    updatedAt: timestamp().notNull(),
  })

  /** What was recorded about a fan and a tracked segment. */
  const segmentMembers = table(
    'segment_members',
    {
      segmentId: idOf(segments),
      userId: idOf(users),
      isMember: boolean().notNull(),
      /** How often the fan has entered and left. Each change is one event, whose id has this number. */
      changes: integer().notNull(),
      changedAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'segment_members_pk', columns: [t.segmentId, t.userId] }),
      kit.index('segment_members_fan').on(t.userId),
      kit.check('segment_members_changes_positive', sql`${t.changes} >= 1`),
      // Odd changes enter, even ones leave.
      kit.check('segment_members_changes_alternate', sql`(${t.changes} % 2 = 1) = ${t.isMember}`),
    ],
  )

  return { segments, segmentMembers }
}

export const fanData = {
  // A merged fan is in no segment. The other fan is judged again.
  segmentMembers: { userId: { export: 'segments', erasure: 'delete', merge: 'delete' } },
} satisfies FanData<ReturnType<typeof defineSegmentsTables>>
