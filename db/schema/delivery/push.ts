/** Devices of fans, the services that reach them, and the pushes that wait for them or were sent. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function definePushTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** Where a fan gets pushes. The unique index gives a token to one fan. */
  const devices = table(
    'devices',
    {
      userId: idOf(users),
      /** Chosen by the app. */
      deviceId: id().notNull(),
      kind: id().notNull(),
      /** What sends to it: `fcm`, `apns`, or `webpush:` and the host of the subscription. */
      service: id().notNull(),
      /** Of a Live Activity: the match that it shows. */
      matchId: id(),
      /** SHA-256 of the token. It also binds the ciphertext to this row. */
      tokenHash: id().notNull(),
      /** The token, or the subscription as JSON. */
      encryptedToken: text().notNull(),
      createdAt: timestamp().notNull(),
      /** When the app registered it last. */
      lastUsedAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'devices_pk', columns: [t.userId, t.deviceId] }),
      kit.uniqueIndex('devices_token').on(t.tokenHash),
      kit.index('devices_match').on(t.matchId, t.userId, t.deviceId).where(sql`${t.matchId} is not null`),
      kit.check('devices_kind', sql`${t.kind} in ('webpush', 'fcm', 'apns', 'live_activity')`),
      kit.check('devices_of_match', sql`${t.matchId} is null or ${t.kind} = 'live_activity'`),
    ],
  )

  /** Its row is locked while pushes of the service are claimed. */
  const pushServices = table('push_services', {
    name: id().primaryKey(),
    /** The service asked for a pause: no attempt begins before this time. */
    pausedUntil: timestamp(),
    /** Since when it refuses the configuration; null after the next push that it accepts. */
    refusedSince: timestamp(),
    /** What it said. */
    refusal: id(),
  })

  /** One message to one device. There is no foreign key to the device, which may be removed meanwhile. */
  const pushDeliveries = table(
    'push_deliveries',
    {
      userId: idOf(users),
      deviceId: id().notNull(),
      messageId: id().notNull(),
      /** Orders the pushes of a device. */
      position: integer().notNull(),
      service: id().notNull(),
      /** One of many that were queued at once: others go first. */
      bulk: boolean().notNull(),
      category: id().notNull(),
      /** JSON, until it is sent or given up. */
      content: text(),
      collapseKey: id(),
      /** The fan who caused it. */
      senderId: id(),
      state: id().notNull(),
      /** Why it was not sent. */
      reason: id(),
      attempts: integer().notNull(),
      createdAt: timestamp().notNull(),
      dueAt: timestamp().notNull(),
      /** Latest end of the running attempt; also identifies the attempt. */
      leaseEndsAt: timestamp(),
      /** When its message was counted for the limit of a day. */
      countedAt: timestamp(),
      endedAt: timestamp(),
      /** Status of the last response of the service. */
      status: integer(),
    },
    t => [
      kit.primaryKey({ name: 'push_deliveries_pk', columns: [t.userId, t.deviceId, t.messageId] }),
      kit
        .index('push_deliveries_due')
        .on(t.service, t.bulk, t.dueAt)
        .where(sql`${t.state} = 'pending' and ${t.leaseEndsAt} is null`),
      kit
        .index('push_deliveries_leases')
        .on(t.service, t.bulk, t.leaseEndsAt)
        .where(sql`${t.leaseEndsAt} is not null`),
      kit
        .index('push_deliveries_pending')
        .on(t.userId, t.deviceId, t.position)
        .where(sql`${t.state} = 'pending'`),
      kit.index('push_deliveries_counted').on(t.userId, t.countedAt).where(sql`${t.countedAt} is not null`),
      kit.index('push_deliveries_created').on(t.createdAt),
      // A campaign that continues after a stop queues them again.
      kit.index('push_deliveries_held').on(t.userId).where(sql`${t.reason} = 'campaign_stopped'`),
      kit.check('push_deliveries_state', sql`${t.state} in ('pending', 'sent', 'skipped', 'failed')`),
      kit.check('push_deliveries_ended', sql`(${t.state} = 'pending') = (${t.endedAt} is null)`),
    ],
  )

  return { devices, pushServices, pushDeliveries }
}

export const fanData = {
  devices: {
    userId: {
      export: 'devices',
      erasure: 'delete',
      merge: { moveUnless: ['deviceId'], otherwise: 'delete' },
    },
  },
  pushDeliveries: {
    userId: {
      export: 'pushes',
      erasure: 'delete',
      merge: { moveUnless: ['deviceId', 'messageId'], otherwise: 'delete' },
    },
  },
} satisfies FanData<ReturnType<typeof definePushTables>>
