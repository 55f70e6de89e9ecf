/** Data about requests that instances share: stored responses for `Idempotency-Key`, and counts for rate limits. */
import type { ColumnKit } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineHttpTables(kit: ColumnKit) {
  const { table, id, text, integer, timestamp } = kit

  /** The primary key enforces that a request under a key runs once. Committed with its effect. */
  const idempotencyKeys = table(
    'idempotency_keys',
    {
      /** The caller, as in `users`: not every mutation creates a user record. */
      provider: id().notNull(),
      subject: id().notNull(),
      /** For example `POST /api/rewards/claim`. */
      route: id().notNull(),
      key: id().notNull(),
      /** SHA-256 of the request: the same key with another request is refused. */
      fingerprint: id().notNull(),
      /** Null only within the unit of work that runs the request. */
      status: integer(),
      /** JSON text, which keeps the order of members. Null when the response carried a secret. */
      response: text(),
      expiresAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'idempotency_keys_pk', columns: [t.provider, t.subject, t.route, t.key] }),
      kit.index('idempotency_keys_expiry').on(t.expiresAt),
    ],
  )

  /** One row per client and policy that has used a significant part of its quota. */
  const rateLimitWindows = table(
    'rate_limit_windows',
    {
      /** Keyed hash of the policy and the address or caller. */
      key: id().primaryKey(),
      used: integer().notNull(),
      endsAt: timestamp().notNull(),
    },
    t => [kit.index('rate_limit_windows_end').on(t.endsAt)],
  )

  return { idempotencyKeys, rateLimitWindows }
}

export const fanData = {
  idempotencyKeys: { subject: { export: 'storedResponses', erasure: 'delete', merge: 'stay' } },
} satisfies FanData<ReturnType<typeof defineHttpTables>>
