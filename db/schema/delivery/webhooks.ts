/** Outbound webhooks: endpoints, their deliveries, and the order of deliveries per fan and per match. */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineWebhooksTables(kit: ColumnKit) {
  const { table, id, text, integer, timestamp } = kit

  const webhookEndpoints = table(
    'webhook_endpoints',
    {
      id: id().primaryKey(),
      url: text().notNull(),
      /** Event types and patterns such as `quest.*`, separated by spaces. */
      types: text().notNull(),
      /** Encrypted. */
      encryptedSecret: text().notNull(),
      /** The secret before the last rotation, which also signs until `previousSecretEndsAt`. */
      encryptedPreviousSecret: text(),
      previousSecretEndsAt: timestamp(),
      createdAt: timestamp().notNull(),
      /** The revision of the kind `events` that added the endpoint: it gets no events of earlier revisions. */
      sinceRevision: integer().notNull().default(0),
      /** Time of the first failed attempt after the last success. */
      failingSince: timestamp(),
      /** The receiver asked for a pause: no attempt begins before this time, for any fan. */
      pausedUntil: timestamp(),
      disabledAt: timestamp(),
      disabledReason: id(),
    },
    t => [
      kit.check(
        'webhook_endpoints_disabled_reason',
        sql`${t.disabledReason} in ('operator', 'gone', 'failing')`,
      ),
      kit.check('webhook_endpoints_disabled', sql`(${t.disabledAt} is null) = (${t.disabledReason} is null)`),
      kit.check(
        'webhook_endpoints_previous_secret',
        sql`(${t.encryptedPreviousSecret} is null) = (${t.previousSecretEndsAt} is null)`,
      ),
    ],
  )

  /**
   * The pending deliveries of one fan or match to one endpoint, which are sent one after another. The row lock orders a new
   * delivery and the end of the previous one. Without a row, no delivery is pending. There is no foreign key to the
   * endpoint, so that its removal does not make a fan's unit of work fail.
   */
  const webhookLanes = table(
    'webhook_lanes',
    {
      endpointId: id().notNull(),
      /** The fan, or `match:ID`. No foreign key: it may be either. */
      userId: id().notNull(),
      nextAttemptAt: timestamp().notNull(),
      /** Latest end of the running attempt; also identifies the attempt. */
      leaseEndsAt: timestamp(),
    },
    t => [
      kit.primaryKey({ name: 'webhook_lanes_pk', columns: [t.endpointId, t.userId] }),
      // Partial: with statistics of an empty table, PostgreSQL might use a full index for a look-up by key, and read all of
      // it.
      kit
        .index('webhook_lanes_unleased')
        .on(t.endpointId, t.nextAttemptAt)
        .where(sql`${t.leaseEndsAt} is null`),
      kit
        .index('webhook_lanes_leases')
        .on(t.endpointId, t.leaseEndsAt)
        .where(sql`${t.leaseEndsAt} is not null`),
    ],
  )

  /** One event to one endpoint. */
  const webhookDeliveries = table(
    'webhook_deliveries',
    {
      endpointId: id().notNull(),
      /** As in `webhook_lanes`. */
      userId: id().notNull(),
      /** The sequence of the event, which orders the deliveries of a fan or match. */
      sequence: integer().notNull(),
      type: id().notNull(),
      /** JSON text, the bytes that are signed and sent at every attempt. */
      body: text().notNull(),
      /** `pending`, `delivered` or `failed`. */
      state: id().notNull(),
      attempts: integer().notNull(),
      createdAt: timestamp().notNull(),
      attemptedAt: timestamp(),
      /** HTTP status of the last response; null if there was none. */
      status: integer(),
      /** The first characters of the last response, or why there was none. */
      response: text(),
      /** JSON: the attempts before the last one, the oldest first. Null while there are none. */
      earlierAttempts: text(),
    },
    t => [
      kit.primaryKey({
        name: 'webhook_deliveries_pk',
        columns: [t.endpointId, t.userId, t.sequence],
      }),
      kit
        .index('webhook_deliveries_pending')
        .on(t.endpointId, t.userId, t.sequence)
        .where(sql`${t.state} = 'pending'`),
      kit.index('webhook_deliveries_created').on(t.createdAt),
      // Not `state <> 'delivered'`, which `state = 'pending'` implies: by statistics of an empty table, PostgreSQL may use this
      // index for a look-up of what a fan waits for, and read it all.
      kit
        .index('webhook_deliveries_undelivered')
        .on(t.createdAt)
        .where(sql`nullif(${t.state}, 'delivered') is not null`),
      kit.check('webhook_deliveries_state', sql`${t.state} in ('pending', 'delivered', 'failed')`),
    ],
  )

  return { webhookEndpoints, webhookLanes, webhookDeliveries }
}

export const fanData = {
  // When pending deliveries are sent. The export has the deliveries.
  webhookLanes: { userId: { export: null, erasure: 'delete', merge: 'stay' } },
  webhookDeliveries: { userId: { export: 'webhookDeliveries', erasure: 'delete', merge: 'stay' } },
} satisfies FanData<ReturnType<typeof defineWebhooksTables>>
