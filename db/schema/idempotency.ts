/** Answers kept for clients that ask again (`Idempotency-Key`). */
import type { ColumnKit } from './columns.ts'

export function defineIdempotencyTables(kit: ColumnKit) {
  const { table, id, text, integer, timestamp } = kit

  /** The primary key is the rule: what a caller asked of a route under a key happens once. Committed with its effect. */
  const idempotencyKeys = table(
    'idempotency_keys',
    {
      /** Whose it is, as `users` names them: not every mutation makes a user record. */
      provider: id().notNull(),
      subject: id().notNull(),
      /** As `POST /api/rewards/claim`. */
      route: id().notNull(),
      key: id().notNull(),
      /** SHA-256 of what was asked: the same key for anything else is refused. */
      fingerprint: id().notNull(),
      /** Null only inside the unit of work that is at it. */
      status: integer(),
      /** JSON text, so that its members keep their order. Null where the answer carried a secret. */
      answer: text(),
      expiresAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'idempotency_keys_pk', columns: [t.provider, t.subject, t.route, t.key] }),
      kit.index('idempotency_keys_expiry').on(t.expiresAt),
    ],
  )

  return { idempotencyKeys }
}
