/** Events, where they are published, the rules that they are evaluated by, and how often each rule has granted points. */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from './columns.ts'
import type { FanTables } from './fans.ts'

export function defineEventTables(kit: ColumnKit, { users }: FanTables) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /**
   * Events of fans, of the application itself (source `matchday`) and of other systems. The primary key enforces that an
   * event counts once, also after its data was deleted. A void that arrives before its event is a row without a fan.
   */
  const events = table(
    'events',
    {
      source: id().notNull(),
      /** Unique within its source. */
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
      /** The order in which events are distributed to what sends them to other systems: 0 while it waits, null if nothing asked for it. */
      position: integer(),
      /** SHA-256 of the content: the same id with other content is refused. Null for events of the application. */
      digest: id(),
      /** JSON: what each matching rule decided. */
      decisions: text(),
      voidedAt: timestamp(),
      voidNote: text(),
      /** JSON: what the void took back. */
      taken: text(),
    },
    t => [
      kit.primaryKey({ name: 'events_pk', columns: [t.source, t.eventId] }),
      kit.uniqueIndex('events_user_sequence_unique').on(t.userId, t.sequence),
      // Only what has data: the sweep of old data does not read what it has swept before.
      kit.index('events_recorded').on(t.recordedAt).where(sql`${t.data} is not null`),
      kit.index('events_awaiting').on(t.userId, t.sequence).where(sql`${t.position} = 0`),
      kit.uniqueIndex('events_position_unique').on(t.position).where(sql`${t.position} > 0`),
      kit.check('events_of_a_fan_have_a_sequence', sql`(${t.userId} is null) = (${t.sequence} is null)`),
      kit.check('events_of_nobody_are_voids', sql`${t.userId} is not null or ${t.voidedAt} is not null`),
    ],
  )

  /** One row, which a unit of work that distributes events locks. */
  const eventDistribution = table('event_distribution', {
    id: id().primaryKey(),
    /** The greatest position. */
    lastPosition: integer().notNull(),
  })

  /** Systems to which all events are published. */
  const eventSinks = table(
    'event_sinks',
    {
      name: id().primaryKey(),
      /** All events up to this position were published, or have nothing to publish. */
      position: integer().notNull(),
      /** The process that publishes, until `leaseEndsAt` at the latest. */
      leaseHolder: id(),
      leaseEndsAt: timestamp(),
    },
    t => [kit.check('event_sinks_lease', sql`(${t.leaseHolder} is null) = (${t.leaseEndsAt} is null)`)],
  )

  /** How events earn points. The importer sets the id, a slug. */
  const rules = table(
    'rules',
    {
      id: id().primaryKey(),
      name: text().notNull(),
      eventType: id().notNull(),
      /** JSON: `when`, `points`, `limit`, `budget` and `timeZone`. */
      definition: text().notNull(),
      active: boolean().notNull(),
      startsAt: timestamp(),
      endsAt: timestamp(),
      /** The revision of the catalogue (kind `events`) that made the rule as it is. */
      version: integer().notNull(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [kit.index('rules_event_type').on(t.eventType)],
  )

  /** Every version of a rule, to evaluate and explain events by the rules of their revision. */
  const ruleVersions = table(
    'rule_versions',
    {
      ruleId: idOf(rules),
      version: integer().notNull(),
      /** JSON of the whole entry. */
      entry: text().notNull(),
      createdAt: timestamp().notNull(),
    },
    t => [kit.primaryKey({ name: 'rule_versions_pk', columns: [t.ruleId, t.version] })],
  )

  /** Grants per fan, rule and window. A conditional update enforces the limit. */
  const ruleUses = table(
    'rule_uses',
    {
      userId: idOf(users),
      ruleId: idOf(rules),
      /** `ever`, a day like `2026-11-22`, a week like `2026-W47` or a month like `2026-11`, in the rule's time zone. */
      window: id().notNull(),
      uses: integer().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'rule_uses_pk', columns: [t.userId, t.ruleId, t.window] }),
      kit.check('rule_uses_not_negative', sql`${t.uses} >= 0`),
    ],
  )

  /** Points granted by a rule with a budget. A conditional update enforces the budget. */
  const ruleBudgets = table(
    'rule_budgets',
    {
      ruleId: idOf(rules).primaryKey(),
      granted: integer().notNull(),
    },
    t => [kit.check('rule_budgets_not_negative', sql`${t.granted} >= 0`)],
  )

  /** Changes with each change of a kind of catalogue entry that processes keep in memory. */
  const catalogueVersions = table('catalogue_versions', {
    kind: id().primaryKey(),
    /** Random, so that it is unique also among databases and their copies. */
    version: id().notNull(),
    /** 1, 2, 3 …: orders the versions of this database. */
    revision: integer().notNull().default(0),
  })

  return {
    events,
    eventDistribution,
    eventSinks,
    rules,
    ruleVersions,
    ruleUses,
    ruleBudgets,
    catalogueVersions,
  }
}
