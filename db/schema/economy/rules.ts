/** The rules by which events earn points, and the number of their grants. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineRulesTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

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
      /** The revision of the catalogue (kind `events`) that last changed the rule. */
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

  return { rules, ruleVersions, ruleUses, ruleBudgets }
}

export const fanData = {
  ruleUses: {
    userId: {
      export: 'ruleUses',
      erasure: 'keep',
      merge: { rule: 'the uses of both add up; those of the merged record stay as well' },
    },
  },
} satisfies FanData<ReturnType<typeof defineRulesTables>>
