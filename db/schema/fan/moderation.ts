/** Reports of fans about others, for moderators. All open reports about one subject form a case. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineModerationTables(
  kit: ColumnKit,
  { users, moderationDecisions }: Referenced<'users' | 'moderationDecisions'>,
) {
  const { table, id, idOf, boolean, text, timestamp } = kit

  const reports = table(
    'reports',
    {
      id: id().primaryKey(),
      /** Null: filed by the text filter. */
      reporterId: id().references(() => users.id),
      subjectKind: id().notNull(),
      /** The user id if the subject is a fan. */
      subjectId: id().notNull(),
      /** The fan who owns the subject. */
      fanId: idOf(users),
      /** How the reporter named the subject. */
      reference: text(),
      reason: text().notNull(),
      note: text(),
      /** JSON: the content of the subject at that time. */
      evidence: text(),
      createdAt: timestamp().notNull(),
      resolvedAt: timestamp(),
      actionTaken: boolean(),
      /** The decision that resolved it. Null also for a report about a fan who was erased. */
      decisionId: id().references(() => moderationDecisions.id),
    },
    t => [
      kit
        .uniqueIndex('reports_open_unique')
        .on(t.reporterId, t.subjectKind, t.subjectId)
        .where(sql`${t.resolvedAt} is null and ${t.reporterId} is not null`),
      kit
        .uniqueIndex('reports_open_automatic_unique')
        .on(t.subjectKind, t.subjectId)
        .where(sql`${t.resolvedAt} is null and ${t.reporterId} is null`),
      kit
        .index('reports_open')
        .on(t.subjectKind, t.subjectId, t.createdAt)
        .where(sql`${t.resolvedAt} is null`),
      kit.index('reports_reporter').on(t.reporterId, t.createdAt, t.id),
      kit.index('reports_fan').on(t.fanId),
      kit.index('reports_decision').on(t.decisionId),
      kit.check('reports_resolved', sql`(${t.resolvedAt} is null) = (${t.actionTaken} is null)`),
      kit.check('reports_decided', sql`${t.decisionId} is null or ${t.resolvedAt} is not null`),
    ],
  )

  return { reports }
}

export const fanData = {
  reports: {
    // An erasure deletes the reporter's note. The report itself is about another fan.
    reporterId: {
      export: 'reports',
      erasure: { clear: ['note'] },
      merge: { moveUnless: ['subjectKind', 'subjectId'], otherwise: 'stay' },
    },
    // A fan must not learn who reported them, or what the report says.
    fanId: {
      export: null,
      erasure: { clear: ['reference', 'note', 'evidence'], replace: ['resolvedAt', 'actionTaken'] },
      // A merge requires that no report is open: see `mergeFans`.
      merge: 'stay',
    },
  },
} satisfies FanData<ReturnType<typeof defineModerationTables>>
