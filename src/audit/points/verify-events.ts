/**
 * Evaluates the events of all fans again, and recounts limits and budgets. Takes no lock and writes nothing. While the API
 * runs, findings are certain only in a snapshot.
 */
import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { eachPage, eachRow } from '../../../db/keyset.ts'
import type { Finding } from '../../core/finding.ts'
import { createEventAudit, type StoredGrants } from '../../economy/events/audit-events.ts'
import { budgetedPoints, type EventRow } from '../../economy/events/event.ts'
import { EMPTY_STATE, readSeamsOf, readState } from '../../economy/points/seams.ts'
import { type RuleHistory, readRuleHistory } from '../../economy/rules/rule-history.ts'
import { auditByFan } from '../coverage/by-fan.ts'

const PAGE_EVENTS = 1_000

/** Findings of the events of a range of fans, and the number of events. */
export async function* verifyEventsOf(
  reader: Reader,
  range: Range,
  history: RuleHistory,
): AsyncGenerator<{ userId: string; findings: Finding[]; events: number }> {
  const stored = await readGrants(reader, range)
  const seams = await readSeamsOf(reader, range)
  const create = (userId: string) => {
    const hasCarried = (stored.get(userId)?.carried.length ?? 0) > 0
    return createEventAudit(userId, history, { hasCarried, seam: seams.get(userId) })
  }
  for await (const { userId, audit, rows } of auditByFan(readEventsOf(reader, range), create)) {
    const findings = audit.conclude(stored.get(userId) ?? noGrants())
    stored.delete(userId)
    seams.delete(userId)
    yield { userId, findings, events: rows }
  }
  for (const userId of new Set([...stored.keys(), ...seams.keys()]))
    yield { userId, findings: create(userId).conclude(stored.get(userId) ?? noGrants()), events: 0 }
}

/** The findings of one fan. */
export async function checkEventsOf(reader: Reader, userId: string): Promise<Finding[]> {
  const history = await readRuleHistory(reader)
  const fans = await Array.fromAsync(verifyEventsOf(reader, { only: userId }, history))
  return fans.flatMap(({ findings }) => findings)
}

/** Compares budgets with the decisions. */
export async function findWrongBudgets(reader: Reader): Promise<Finding[]> {
  const rows = await reader.select().from(reader.tables.ruleBudgets)
  const stored = new Map(rows.map(({ ruleId, granted }) => [ruleId, granted]))
  const counted = await recountBudgets(reader)
  return [...new Set([...counted.keys(), ...stored.keys()])].flatMap(ruleId => {
    const [expected, actual] = [counted.get(ruleId) ?? 0, stored.get(ruleId) ?? null]
    if (expected === (actual ?? 0)) return []
    return [{ userId: null, what: `rule_budgets.granted of ${ruleId}`, expected, actual }]
  })
}

async function recountBudgets(reader: Reader): Promise<Map<string, number>> {
  const { events } = reader.tables
  const { source, eventId, decisions, taken } = events
  const rows = eachRow(
    { source, eventId },
    after =>
      reader
        .select({ source, eventId, decisions, taken })
        .from(events)
        .where(and(isNotNull(decisions), after)),
    { size: PAGE_EVENTS },
  )
  const counted = new Map<string, number>()
  for await (const row of rows)
    for (const { ruleId, points } of budgetedPoints(row))
      counted.set(ruleId, (counted.get(ruleId) ?? 0) + points)
  for await (const { state } of eachSeam(reader))
    for (const { ruleId, points } of (readState(state) ?? EMPTY_STATE).budgets)
      counted.set(ruleId, (counted.get(ruleId) ?? 0) + points)
  return counted
}

function eachSeam(reader: Reader) {
  const { archiveSeams } = reader.tables
  const { userId, state } = archiveSeams
  return eachRow({ userId }, after => reader.select({ userId, state }).from(archiveSeams).where(after))
}

const noGrants = (): StoredGrants => ({ entries: [], uses: [], carried: [] })

async function readGrants(reader: Reader, range: Range): Promise<Map<string, StoredGrants>> {
  const { pointsEntries: entries, ruleUses: uses } = reader.tables
  const { userId, reason, ref, delta } = entries
  const { fanMerges } = reader.tables
  const kept = reader.tables.accountEntries
  const [entryRows, keptRows, useRows, carriedRows] = await Promise.all([
    reader
      .select({ userId, reason, ref, delta })
      .from(entries)
      .where(and(inArray(reason, ['rule', 'rule_void']), inRange(userId, range))),
    reader
      .select({ userId: kept.userId, reason: kept.reason, ref: kept.ref, delta: kept.delta })
      .from(kept)
      .where(and(inArray(kept.reason, ['rule', 'rule_void']), inRange(kept.userId, range))),
    reader.select().from(uses).where(inRange(uses.userId, range)),
    reader
      .select({ intoId: fanMerges.intoId, use: uses })
      .from(fanMerges)
      .innerJoin(uses, eq(uses.userId, fanMerges.fromId))
      .where(inRange(fanMerges.intoId, range)),
  ])
  const grants = new Map<string, StoredGrants>()
  const of = (id: string) => grants.getOrInsertComputed(id, noGrants)
  for (const entry of [...entryRows, ...keptRows]) of(entry.userId).entries.push(entry)
  for (const use of useRows) of(use.userId).uses.push(use)
  for (const { intoId, use } of carriedRows) of(intoId).carried.push(use)
  return grants
}

/** Events of a range by fan and sequence, page by page. */
function readEventsOf(reader: Reader, range: Range): AsyncGenerator<EventRow[]> {
  const { events } = reader.tables
  const { userId, sequence } = events
  return eachPage(
    { userId, sequence },
    after =>
      reader
        .select()
        .from(events)
        .where(and(isNotNull(userId), inRange(userId, range), after)),
    { size: PAGE_EVENTS },
  )
}
