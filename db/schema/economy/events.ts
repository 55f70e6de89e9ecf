/** Events, and their distribution to other systems. */
import { type Column, type SQL, sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

/** Events that a fan's followers may be shown: see `GET /api/feed`. */
export const PUBLIC_EVENT_TYPES = [
  'match.checked_in',
  'pack.opened',
  'prediction.settled',
  'quest.completed',
  'reward.claimed',
  'set.completed',
  'trade.completed',
] as const

/**
 * SQL: whether an event is public. A voided event is not public, nor is one whose data was deleted, for example by an
 * erasure.
 */
export const isPublicEvent = (event: Record<'type' | 'voidedAt' | 'data', Column>): SQL =>
  sql`${event.type} in (${sql.raw(PUBLIC_EVENT_TYPES.map(type => `'${type}'`).join(', '))}) and ${event.voidedAt} is null and ${event.data} is not null`

export function defineEventsTables(kit: ColumnKit, { users, matches }: Referenced<'users' | 'matches'>) {
  const { table, id, idOf, text, integer, timestamp } = kit

  /**
   * Events of fans, of the application itself (source `matchday`) and of other systems. The primary key enforces that an
   * event counts once, also after its data was deleted. A void that arrives before its event is a row without a fan.
   */
  const events = table(
    'events',
    {
      source: id().notNull(),
      /** Unique within its source. An erasure of the fan replaces it if the event earned nothing. */
      eventId: id().notNull(),
      userId: id().references(() => users.id),
      /** 1, 2, 3 … per fan, without gaps, in the order of commits. */
      sequence: integer(),
      type: id(),
      occurredAt: timestamp(),
      recordedAt: timestamp().notNull(),
      /** The revision of the catalogue (kind `events`) whose rules evaluated it. Null before the first one. */
      revision: integer(),
      /** JSON text. Null after the retention period, and after an erasure of the fan. */
      data: text(),
      /**
       * The order in which events are distributed to webhooks and other outputs: 0 while it waits, null if no output asked
       * for it.
       */
      position: integer(),
      /** Of the content (`digest.ts`): the same id with other content is refused, and a changed row is found. Null for old events of the application, and where the id was replaced. */
      digest: id(),
      /** JSON: what each matching rule decided (`decision.ts`). */
      decisions: text(),
      voidedAt: timestamp(),
      voidNote: text(),
      /** The fan of an event that arrived after its void and was therefore not recorded. Null until it arrives. */
      voidedFor: id().references(() => users.id),
      /** JSON: what the void took back. */
      taken: text(),
      /**
       * The entries of points that it booked, if their events `points.changed` have no rows: their number, the `seq` of the first one, and the
       * lifetime points after the last one. The sequences after its own are theirs.
       */
      entryCount: integer(),
      firstEntrySeq: integer(),
      lifetimeAfter: integer(),
    },
    t => [
      kit.primaryKey({ name: 'events_pk', columns: [t.source, t.eventId] }),
      kit.uniqueIndex('events_user_sequence_unique').on(t.userId, t.sequence),
      // Only events with data, so that the sweep of old data does not read rows that it has already swept.
      kit.index('events_recorded').on(t.recordedAt).where(sql`${t.data} is not null`),
      kit.index('events_awaiting').on(t.userId, t.sequence).where(sql`${t.position} = 0`),
      kit.uniqueIndex('events_position_unique').on(t.position).where(sql`${t.position} > 0`),
      // The newest public events of a fan.
      kit.index('events_public').on(t.userId, t.recordedAt, t.sequence).where(isPublicEvent(t)),
      kit.index('events_voided_for').on(t.voidedFor).where(sql`${t.voidedFor} is not null`),
      kit.check('events_of_a_fan_have_a_sequence', sql`(${t.userId} is null) = (${t.sequence} is null)`),
      kit.check('events_of_nobody_are_voids', sql`${t.userId} is not null or ${t.voidedAt} is not null`),
    ],
  )

  /** Events of other systems whose rows are in the archive: their ids are not counted again. */
  const archivedEvents = table(
    'archived_events',
    {
      /** A hash of source and id. */
      key: id().primaryKey(),
      userId: idOf(users),
    },
    t => [kit.index('archived_events_user').on(t.userId)],
  )

  /** Changes of matches for other systems. The writer has locked the match. */
  const matchEvents = table(
    'match_events',
    {
      matchId: idOf(matches),
      /** 1, 2, 3 … per match, without gaps, in the order of commits. An import can move a kick-off without a new revision. */
      sequence: integer().notNull(),
      recordedAt: timestamp().notNull(),
      /** The revision of the catalogue (kind `events`) at which it was recorded. */
      catalogueRevision: integer().notNull(),
      /** JSON text. */
      data: text().notNull(),
      /** The order in which it is distributed, among all events: 0 while it waits. */
      position: integer().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'match_events_pk', columns: [t.matchId, t.sequence] }),
      kit.index('match_events_awaiting').on(t.matchId, t.sequence).where(sql`${t.position} = 0`),
      kit.uniqueIndex('match_events_position_unique').on(t.position).where(sql`${t.position} > 0`),
    ],
  )

  /** One row, which a unit of work that distributes events locks. */
  const eventDistribution = table('event_distribution', {
    id: id().primaryKey(),
    /** The greatest position, of `events` and `match_events`. */
    lastPosition: integer().notNull(),
  })

  return { events, archivedEvents, matchEvents, eventDistribution }
}

export const fanData = {
  events: {
    userId: {
      export: 'events',
      // An id that the ledger names stays, with its digest.
      erasure: { clear: ['data', 'voidNote', 'position', 'digest'], replace: ['eventId'] },
      merge: 'stay',
    },
    voidedFor: {
      export: 'earlyVoids',
      erasure: { clear: ['data', 'voidNote'], replace: ['eventId'] },
      merge: 'stay',
    },
  },
  // Fans whose past is archived are not merged. The ids are in the archive.
  archivedEvents: { userId: { export: null, erasure: 'delete', merge: 'stay' } },
} satisfies FanData<ReturnType<typeof defineEventsTables>>
