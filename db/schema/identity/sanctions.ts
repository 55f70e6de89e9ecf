/**
 * Decisions of moderators about fans. Triggers refuse changes, and the state of a fan follows from all decisions in order.
 */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineSanctionsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, boolean, integer, text, timestamp } = kit

  const moderationDecisions = table(
    'moderation_decisions',
    {
      id: id().primaryKey(),
      fanId: idOf(users),
      /** 1, 2, 3 … of each fan, without gaps. */
      seq: integer().notNull(),
      kind: text().notNull(),
      reason: text().notNull(),
      /** End of a suspension. */
      until: timestamp(),
      /** For a lift: the decision that it ends. */
      liftsId: id(),
      /** Name of the moderator. Never shown to fans. */
      decidedBy: text().notNull(),
      /** The member of the staff, for a decision in the console. */
      decidedById: id(),
      createdAt: timestamp().notNull(),
    },
    t => [
      kit.uniqueIndex('moderation_decisions_fan_seq').on(t.fanId, t.seq),
      kit.uniqueIndex('moderation_decisions_lifts').on(t.liftsId).where(sql`${t.liftsId} is not null`),
      kit.check(
        'moderation_decisions_kind',
        sql`${t.kind} in ('dismiss', 'hide', 'mute', 'suspend', 'lift', 'note')`,
      ),
      kit.check('moderation_decisions_until', sql`(${t.until} is not null) = (${t.kind} = 'suspend')`),
      kit.check('moderation_decisions_lift', sql`(${t.liftsId} is not null) = (${t.kind} = 'lift')`),
    ],
  )

  /** Notes of moderators, separate from the decisions so that an erasure can delete them. */
  const moderationNotes = table(
    'moderation_notes',
    {
      decisionId: idOf(moderationDecisions).primaryKey(),
      fanId: idOf(users),
      note: text().notNull(),
    },
    t => [kit.index('moderation_notes_fan').on(t.fanId)],
  )

  /** What the fan learns about a sanction. Triggers refuse changes other than the erasure of `facts`. */
  const moderationStatements = table(
    'moderation_statements',
    {
      decisionId: idOf(moderationDecisions).primaryKey(),
      fanId: idOf(users),
      /** Null: not stated, or the fan was erased. */
      facts: text(),
      /** Whether software found what it is about. A person makes each decision. */
      automated: boolean().notNull(),
    },
    t => [kit.index('moderation_statements_fan').on(t.fanId)],
  )

  /** One for each sanction. */
  const appeals = table(
    'appeals',
    {
      sanctionId: idOf(moderationDecisions).primaryKey(),
      id: id().notNull(),
      fanId: idOf(users),
      text: text().notNull(),
      createdAt: timestamp().notNull(),
      decidedAt: timestamp(),
      granted: boolean(),
      /** Name of the moderator. Never shown to fans. */
      decidedBy: text(),
      /** The member of the staff, for a decision in the console. */
      decidedById: id(),
    },
    t => [
      kit.uniqueIndex('appeals_id_unique').on(t.id),
      kit.index('appeals_fan').on(t.fanId),
      kit.index('appeals_open').on(t.createdAt, t.id).where(sql`${t.decidedAt} is null`),
      kit.check(
        'appeals_decided',
        sql`(${t.decidedAt} is null) = (${t.granted} is null) and (${t.decidedAt} is null) = (${t.decidedBy} is null)`,
      ),
    ],
  )

  return { moderationDecisions, moderationNotes, moderationStatements, appeals }
}

export const fanData = {
  moderationDecisions: { fanId: { export: 'sanctions', erasure: 'keep', merge: 'stay' } },
  // They may name other fans, such as those who reported this one.
  moderationNotes: { fanId: { export: null, erasure: 'delete', merge: 'stay' } },
  moderationStatements: { fanId: { export: 'sanctions', erasure: { clear: ['facts'] }, merge: 'stay' } },
  appeals: { fanId: { export: 'appeals', erasure: 'delete', merge: 'stay' } },
} satisfies FanData<ReturnType<typeof defineSanctionsTables>>
