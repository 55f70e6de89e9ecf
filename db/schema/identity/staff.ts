/** The club's staff: links, sessions, audit log and approvals. */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from '../columns.ts'

export function defineStaffTables(kit: ColumnKit) {
  const { table, id, integer, text, timestamp } = kit

  /** Links that sign in once. The secret itself is not stored. */
  const consoleLinks = table(
    'console_links',
    {
      /** SHA-256 of the secret, in lower-case hex. */
      hash: id().primaryKey(),
      staffId: id().notNull(),
      name: text().notNull(),
      role: id().notNull(),
      createdAt: timestamp().notNull(),
      expiresAt: timestamp().notNull(),
      /** A second use is refused and logged. */
      usedAt: timestamp(),
      /** The person of the staff who saw the secret. Null: an operator made the link. */
      invitedById: id(),
    },
    t => [kit.index('console_links_expiry').on(t.expiresAt)],
  )

  const consoleSessions = table(
    'console_sessions',
    {
      id: id().primaryKey(),
      /** SHA-256 of the token of the cookie, in lower-case hex. */
      hash: id().notNull(),
      /** An id of `core/staff-ids.ts`. */
      staffId: id().notNull(),
      name: text().notNull(),
      role: id().notNull(),
      createdAt: timestamp().notNull(),
      expiresAt: timestamp().notNull(),
      /** Precise to the minute. */
      lastUsedAt: timestamp().notNull(),
      endedAt: timestamp(),
      /**
       * `sid` of the staff's identity provider, which can end the session with it. Null: signed in with a link, or the
       * provider sends none.
       */
      providerSession: id(),
    },
    t => [
      kit.uniqueIndex('console_sessions_hash_unique').on(t.hash),
      kit.index('console_sessions_staff').on(t.staffId),
      kit.index('console_sessions_expiry').on(t.expiresAt),
      kit
        .index('console_sessions_provider')
        .on(t.providerSession)
        .where(sql`${t.providerSession} is not null`),
    ],
  )

  /**
   * Actions of staff. Triggers refuse changes, and each row contains the hash of the previous one. Contains no personal data
   * of fans.
   */
  const consoleAudit = table(
    'console_audit',
    {
      /** 1, 2, 3 … without gaps. */
      seq: integer().primaryKey(),
      at: timestamp().notNull(),
      staffId: id().notNull(),
      staffName: text().notNull(),
      role: id().notNull(),
      /** Id of the operation. */
      operation: id().notNull(),
      subjectKind: id().notNull(),
      subjectId: id().notNull(),
      reason: text(),
      /** JSON. */
      detail: text(),
      /** The second person, for an action that needs two. */
      confirmedById: id(),
      confirmedByName: text(),
      hash: id().notNull(),
    },
    t => [
      kit.index('console_audit_time').on(t.at),
      kit.index('console_audit_staff').on(t.staffId, t.seq),
      kit.index('console_audit_subject').on(t.subjectKind, t.subjectId, t.seq),
      kit.index('console_audit_operation').on(t.operation, t.seq),
      kit.check(
        'console_audit_confirmed',
        sql`(${t.confirmedById} is null) = (${t.confirmedByName} is null) and (${t.confirmedById} is null or ${t.confirmedById} <> ${t.staffId})`,
      ),
    ],
  )

  /** The newest row of the audit log. Its row lock orders new rows. */
  const consoleAuditHead = table('console_audit_head', {
    id: id().primaryKey(),
    seq: integer().notNull(),
    hash: id().notNull(),
  })

  /** Actions that wait for a second person, and the decisions about them. */
  const consoleApprovals = table(
    'console_approvals',
    {
      id: id().primaryKey(),
      permission: id().notNull(),
      operation: id().notNull(),
      subjectKind: id().notNull(),
      subjectId: id().notNull(),
      reason: text(),
      /** The request, as JSON, until it is decided or has expired. */
      request: text(),
      requestedById: id().notNull(),
      requestedByName: text().notNull(),
      requestedByRole: id().notNull(),
      requestedAt: timestamp().notNull(),
      expiresAt: timestamp().notNull(),
      decision: id(),
      decidedById: id(),
      decidedByName: text(),
      decidedAt: timestamp(),
    },
    t => [
      kit.index('console_approvals_time').on(t.requestedAt, t.id),
      kit.index('console_approvals_open').on(t.expiresAt).where(sql`${t.decision} is null`),
      kit.check('console_approvals_decision', sql`${t.decision} in ('confirmed', 'refused')`),
      kit.check(
        'console_approvals_decided',
        sql`(${t.decision} is null) = (${t.decidedAt} is null) and (${t.decision} is null) = (${t.decidedById} is null) and (${t.decision} is null) = (${t.decidedByName} is null)`,
      ),
      // The person who asked may withdraw the request, but never confirm it.
      kit.check(
        'console_approvals_two_people',
        sql`${t.decision} is null or ${t.decision} = 'refused' or ${t.decidedById} <> ${t.requestedById}`,
      ),
    ],
  )

  return {
    consoleLinks,
    consoleSessions,
    consoleAudit,
    consoleAuditHead,
    consoleApprovals,
  }
}
