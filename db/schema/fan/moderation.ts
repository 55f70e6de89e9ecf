/** Reports of fans about others, of which all open ones about one subject form a case, and notices of people without an account. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineModerationTables(
  kit: ColumnKit,
  { users, moderationDecisions }: Referenced<'users' | 'moderationDecisions'>,
) {
  const { table, id, idOf, boolean, integer, text, timestamp } = kit

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

  /** Notices of illegal content. Content has a limited number of open ones, which its places count. */
  const contentNotices = table(
    'content_notices',
    {
      id: id().primaryKey(),
      /** Kind and id of the content, or a hash of where it is. */
      content: text().notNull(),
      place: integer().notNull(),
      /** Further notices about the content, which came while each place was taken and are not kept. */
      repeats: integer().notNull(),
      category: text().notNull(),
      /** Null: the content is not one that the server knows. */
      subjectKind: id(),
      fanId: id().references(() => users.id),
      /** How the notifier named the subject. */
      reference: text(),
      location: text(),
      explanation: text(),
      /** JSON: the content of the subject at that time. */
      evidence: text(),
      name: text(),
      email: text(),
      /** In which the notifier is told the decision. */
      language: text().notNull(),
      createdAt: timestamp().notNull(),
      decidedAt: timestamp(),
      actionTaken: boolean(),
      /** What the notifier is told. */
      answer: text(),
      /** Name of the moderator. Null also where the fan was erased before a decision. */
      decidedBy: text(),
      decidedById: id(),
      /** The sanction that was decided with it. */
      decisionId: id().references(() => moderationDecisions.id),
      /** When the texts and the notifier were deleted. */
      clearedAt: timestamp(),
    },
    t => [
      kit
        .uniqueIndex('content_notices_open_unique')
        .on(t.content, t.place)
        .where(sql`${t.decidedAt} is null`),
      kit.index('content_notices_open').on(t.createdAt, t.id).where(sql`${t.decidedAt} is null`),
      kit.index('content_notices_decided').on(t.decidedAt, t.id),
      kit
        .index('content_notices_to_clear')
        .on(t.decidedAt)
        .where(sql`${t.clearedAt} is null and ${t.decidedAt} is not null`),
      kit.index('content_notices_fan').on(t.fanId),
      kit.index('content_notices_decision').on(t.decisionId),
      kit.check('content_notices_place', sql`${t.place} between 1 and 20`),
      kit.check('content_notices_decided', sql`(${t.decidedAt} is null) = (${t.actionTaken} is null)`),
      kit.check('content_notices_cleared', sql`${t.clearedAt} is null or ${t.decidedAt} is not null`),
      kit.check('content_notices_sanction', sql`${t.decisionId} is null or ${t.actionTaken}`),
    ],
  )

  return { reports, contentNotices }
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
  contentNotices: {
    // They are of strangers, and the fan must not learn what they say.
    fanId: {
      export: null,
      erasure: {
        clear: ['reference', 'location', 'explanation', 'evidence', 'answer'],
        replace: ['decidedAt', 'actionTaken'],
      },
      // As for reports.
      merge: 'stay',
    },
  },
} satisfies FanData<ReturnType<typeof defineModerationTables>>
