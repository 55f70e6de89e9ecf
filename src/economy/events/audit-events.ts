/** Evaluates a fan's events again by the rules of their revisions, and compares decisions, ledger entries and counters. */
import { isHeard } from '../../club/catalogue/conditions.ts'
import type { Finding } from '../../core/finding.ts'
import { windowAt } from '../../core/windows.ts'
import { EMPTY_STATE, readState, type Seam } from '../points/seams.ts'
import type { TakenGrant } from '../rules/apply-rules.ts'
import { type Decision, grantRef } from '../rules/decision.ts'
import { evaluateRule, needsData } from '../rules/evaluate-rule.ts'
import type { Rule } from '../rules/rule.ts'
import type { RuleHistory } from '../rules/rule-history.ts'
import { digestLike } from './digest.ts'
import { decisionsOf, type EventRow, type RecordedEvent, takenOf, toRecordedEvent } from './event.ts'
import { APPLICATION } from './types.ts'

/** The stored data of a fan, apart from the events. */
export interface StoredGrants {
  /** The entries of the reasons `rule` and `rule_void`. */
  entries: { reason: string; ref: string; delta: number }[]
  uses: { ruleId: string; window: string; uses: number }[]
  /** Uses of fans who were merged into this fan. They count for this fan too. */
  carried: { ruleId: string; window: string; uses: number }[]
}

/** `seam`: of a fan with an archived past. `hasCarried`: a merge has carried uses over. */
interface EventAuditOptions {
  hasCarried?: boolean
  seam?: Seam | undefined
}

/** `add` takes a fan's events in their order; `conclude` compares the sums. */
export function createEventAudit(
  userId: string,
  history: RuleHistory,
  { hasCarried = false, seam }: EventAuditOptions = {},
) {
  const findings: Finding[] = []
  /** By reason and ref. */
  const booked = new Map<string, number>()
  /** Grants by rule and window: all of them, and those whose use was not returned. */
  const granted = new Map(
    (readState(seam?.state) ?? EMPTY_STATE).uses.map(({ ruleId, window, ever, held }) => [
      `${ruleId} ${window}`,
      { ever, held },
    ]),
  )
  let sequence = seam?.sequence ?? 0
  /** Events before the seam that are not archived. */
  let kept = 0

  function compare(what: string, expected: Finding['expected'], actual: Finding['actual']) {
    if (expected !== actual) findings.push({ userId, what, expected, actual })
  }

  function add(row: EventRow) {
    const name = `${row.source} ${row.eventId}`
    if (isKept(row)) kept++
    else {
      compare(`events.sequence of ${name}`, ++sequence, row.sequence)
      // Those of the events that are folded into it.
      sequence += row.entryCount ?? 0
    }
    try {
      evaluate(row, name)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      compare(`events.row of ${name}`, 'JSON', error.message)
    }
  }

  const isKept = ({ sequence }: { sequence: number | null }) =>
    seam !== undefined && (sequence ?? 0) <= seam.sequence

  function evaluate(row: EventRow, name: string) {
    const event = toRecordedEvent(row)
    if (!event) return compare(`events.type of ${name}`, 'an event of the fan', row.type)
    checkContent(row, event, name)
    const facts = { ...event, data: row.data === null ? null : event.data }
    const stored = decisionsOf(row)
    const decisions = new Map(stored.map(decision => [decision.ruleId, decision]))
    const taken = takenOf(row)
    for (const rule of history.rulesAt(row.revision ?? 0, event.type)) {
      const decision = decisions.get(rule.id)
      decisions.delete(rule.id)
      // Rules could listen to more types in earlier versions: what they granted then is checked.
      if (!decision && !isHeard(event.type)) continue
      const what = `events.decisions of ${name} by ${rule.id}`
      if (facts.data === null && needsData(rule)) {
        // Whether the rule matched is unknown: the data was deleted.
        if (decision) checkDecision(what, rule, decision, { ...facts, points: decision.points })
        continue
      }
      const evaluation = evaluateRule(rule, facts)
      const points = evaluation.outcome === 'matched' ? evaluation.points : null
      if (points === null || !decision) compare(what, points, decision?.points ?? null)
      else checkDecision(what, rule, decision, { ...facts, points })
    }
    for (const { ruleId, points } of decisions.values())
      compare(`events.decisions of ${name} by ${ruleId}`, null, points)
    for (const decision of stored) count(event, decision, row.voidedAt, taken.get(decision.ruleId))
  }

  /**
   * Without data and digest the content cannot be checked: retention deletes data, and old events of the application have no
   * digest.
   */
  function checkContent(
    { data, digest, source, voidedAt, voidedFor, taken }: EventRow,
    event: RecordedEvent,
    name: string,
  ) {
    const isKnown = data !== null && (digest !== null || source !== APPLICATION)
    if (isKnown) compare(`events.digest of ${name}`, digestLike(digest, event), digest)
    // Set only for a void whose event came later.
    compare(`events.voided_for of ${name}`, null, voidedFor)
    compare(`events.taken of ${name}`, voidedAt && 'set', taken && 'set')
  }

  /**
   * It is not known which events a void came before, so that what a limit allowed is known only within bounds.
   */
  function checkDecision(
    what: string,
    rule: Rule,
    { version, outcome, points, window, budgeted }: Decision,
    expected: { occurredAt: Date; points: number; sequence: number },
  ) {
    // Archived events may have come before or after this one, so what its limit allowed is unknown.
    const isAmongArchived = isKept(expected)
    const { limit, budget, timeZone, fan } = rule
    const due = limit && windowAt(limit.per, expected.occurredAt, timeZone).key
    compare(`${what}: version`, rule.version, version)
    compare(`${what}: points`, expected.points, points)
    compare(`${what}: window`, due, window)
    compare(`${what}: budgeted`, String(budget !== null), String(budgeted))
    // In which segments the fan was then is unknown.
    if (outcome === 'segment')
      return compare(`${what}: outcome`, fan === null ? 'granted' : 'segment', outcome)
    const { ever, held } = granted.get(`${rule.id} ${due}`) ?? { ever: 0, held: 0 }
    // Uses that a merge has carried over also count towards the limit.
    const isLimited = limit !== null && (hasCarried || isAmongArchived || ever >= limit.count)
    if (outcome === 'limit') compare(`${what}: outcome`, isLimited ? 'limit' : 'granted', 'limit')
    else if (limit && !isAmongArchived && held >= limit.count) compare(`${what}: outcome`, 'limit', outcome)
    if (outcome === 'budget' && budget === null) compare(`${what}: outcome`, 'granted', 'budget')
  }

  function count(
    event: { source: string; eventId: string },
    { ruleId, outcome, points, window }: Decision,
    voidedAt: Date | null,
    taken: TakenGrant | undefined,
  ) {
    if (outcome !== 'granted') return
    const ref = grantRef(ruleId, event)
    booked.set(`rule ${ref}`, points)
    const what = `events.taken of ${event.source} ${event.eventId} by ${ruleId}`
    compare(what, voidedAt ? points : null, taken ? taken.points + taken.uncollected : null)
    if (taken && taken.points > 0) booked.set(`rule_void ${ref}`, -taken.points)
    if (window === null) return
    const before = granted.get(`${ruleId} ${window}`) ?? { ever: 0, held: 0 }
    const held = taken?.uncollected === 0 ? before.held : before.held + 1
    granted.set(`${ruleId} ${window}`, { ever: before.ever + 1, held })
  }

  function conclude({ entries, uses, carried }: StoredGrants): Finding[] {
    if (seam) compare('archive_seams.kept_events', kept, seam.keptEvents)
    const stored = new Map(entries.map(({ reason, ref, delta }) => [`${reason} ${ref}`, delta]))
    for (const key of new Set([...booked.keys(), ...stored.keys()]))
      compare(`points_entries.delta of ${key}`, booked.get(key) ?? null, stored.get(key) ?? null)
    const used = new Map(uses.map(({ ruleId, window, uses }) => [`${ruleId} ${window}`, uses]))
    const carriedBy = new Map<string, number>()
    for (const { ruleId, window, uses } of carried)
      carriedBy.set(`${ruleId} ${window}`, (carriedBy.get(`${ruleId} ${window}`) ?? 0) + uses)
    for (const key of new Set([...granted.keys(), ...used.keys(), ...carriedBy.keys()])) {
      const due = (granted.get(key)?.held ?? 0) + (carriedBy.get(key) ?? 0)
      compare(`rule_uses.uses of ${key}`, due, used.get(key) ?? 0)
    }
    return findings
  }

  return { add, conclude }
}
