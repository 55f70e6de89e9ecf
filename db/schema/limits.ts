/** Request counts that instances share for rate limits. */
import type { ColumnKit } from './columns.ts'

export function defineLimitsTables(kit: ColumnKit) {
  const { table, id, integer, timestamp } = kit

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

  return { rateLimitWindows }
}
