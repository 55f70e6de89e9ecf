/** Rules, and events that they evaluate, without the room that records events. */
import { eq } from 'drizzle-orm'
import type { Database, Transaction } from '../../../db/index.ts'
import { type CatalogueVersion, readVersion } from '../../../src/club/catalogue/versions.ts'
import { rememberMembers } from '../../../src/club/segments/spine.ts'
import { openLedgers } from '../../../src/economy/points/ledger.ts'
import { causesOf, openRules, type RuledEvent } from '../../../src/economy/rules/apply-rules.ts'
import type { Decision } from '../../../src/economy/rules/decision.ts'
import type { RuleEntry } from '../../../src/economy/rules/rule.ts'
import { upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'

let made = 0

/** A name that no other test uses. Later ones sort behind: rules are applied in the order of their ids. */
export const unique = (name: string) => `${name}-${String(++made).padStart(4, '0')}`

/** Ten points for each event of a type of its own. */
export function ruleEntry(fields: Partial<RuleEntry> = {}): RuleEntry {
  const id = fields.id ?? unique('rule')
  return { id, name: 'Rule', eventType: `test.${id}`, points: { fixed: 10 }, ...fields }
}

export async function addRule({ db }: { db: Database }, fields: Partial<RuleEntry> = {}): Promise<RuleEntry> {
  const entry = ruleEntry(fields)
  await db.write(tx => upsertRule(tx, entry))
  return entry
}

/** The id of a new fan. */
export const addFan = ({ db }: { db: Database }) =>
  db.write(async tx => (await ensureUser(tx, { provider: 'test', subject: unique('fan') })).user.id)

type Happened = Pick<RuledEvent, 'userId' | 'type'> & Partial<RuledEvent>

export const newEvent = (event: Happened): RuledEvent => ({
  source: 'shop',
  eventId: unique('event'),
  occurredAt: new Date('2026-08-15T18:30:00.000Z'),
  data: null,
  ...event,
})

/** As a recording applies the rules of a version to an event. */
export async function applyRules(tx: Transaction, event: RuledEvent, version: CatalogueVersion) {
  const ledgers = await openLedgers(tx, [event.userId])
  const rules = await openRules(tx, version, ledgers, rememberMembers(tx))
  const decisions = await rules.apply(event)
  await ledgers.write()
  await rules.write()
  return decisions
}

/** As a recording takes back what rules granted for an event. */
export async function takeBackGrants(tx: Transaction, event: RuledEvent, decisions: Decision[]) {
  const ledgers = await openLedgers(tx, [event.userId], causesOf(event, decisions))
  const rules = await openRules(tx, await readVersion(tx), ledgers, rememberMembers(tx))
  const taken = await rules.takeBack(event, decisions)
  await ledgers.write()
  await rules.write()
  return taken
}

/** Evaluates an event by the current rules; null when no active rule listens to its type. */
export const apply = ({ db }: { db: Database }, event: RuledEvent) =>
  db.write(async tx => {
    const version = await readVersion(tx)
    return version && applyRules(tx, event, version)
  })

export async function usesOf({ db }: { db: Database }, ruleId: string) {
  const { ruleUses } = db.tables
  const rows = await db.read.select().from(ruleUses).where(eq(ruleUses.ruleId, ruleId))
  return Object.fromEntries(rows.map(({ userId, window, uses }) => [`${userId} ${window}`, uses]))
}

/** Points that count against the budget of a rule. */
export async function spentOf({ db }: { db: Database }, ruleId: string): Promise<number> {
  const { ruleBudgets } = db.tables
  const [row] = await db.read.select().from(ruleBudgets).where(eq(ruleBudgets.ruleId, ruleId))
  return row?.granted ?? 0
}

export async function entriesOf({ db }: { db: Database }, userId: string) {
  const { pointsEntries: entries } = db.tables
  return db.read.select().from(entries).where(eq(entries.userId, userId)).orderBy(entries.seq)
}
