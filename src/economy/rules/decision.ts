/** What a rule decided about an event. The decisions of an event are stored with it, as JSON. */

export interface Decision {
  ruleId: string
  /** The version of the rule. */
  version: number
  /**
   * All but `granted`: the rule matched and granted nothing. `full`: the fan's account could not hold the points. `segment`: the fan was
   * not in the segment of the rule.
   */
  outcome: 'granted' | 'segment' | 'limit' | 'full' | 'budget'
  points: number
  /** The window of the rule's limit; null without a limit. */
  window: string | null
  /** Whether the rule has a budget. */
  budgeted: boolean
}

/** A grant in short: the rule, its version, points, window, and whether the rule has a budget. */
type ShortGrant = [string, number, number, (string | null)?, true?]

/** As the events of a fan have them. `short`: grants as lists, without what they have all. */
export function writeDecisions(decisions: Decision[], form: 'short' | 'long'): string {
  return JSON.stringify(form === 'short' ? decisions.map(shortened) : decisions)
}

function shortened(decision: Decision): Decision | ShortGrant {
  const { ruleId, version, outcome, points, window, budgeted } = decision
  if (outcome !== 'granted') return decision
  if (budgeted) return [ruleId, version, points, window, budgeted]
  return window === null ? [ruleId, version, points] : [ruleId, version, points, window]
}

/** Guarantee of the cast: only `writeDecisions` writes them. */
export const parseDecisions = (text: string): Decision[] =>
  (JSON.parse(text) as (Decision | ShortGrant)[]).map(stored => {
    if (!Array.isArray(stored)) return stored
    const [ruleId, version, points, window = null, budgeted = false] = stored
    return { ruleId, version, points, window, budgeted, outcome: 'granted' }
  })

/** What a text of decisions contains that has a grant, as patterns of LIKE. A long decision has no list. */
export const WITH_GRANT = ['%"outcome":"granted"%', '%["%']

/** Identifies a grant in the ledger: several rules may grant points for one event. */
export const grantRef = (ruleId: string, { source, eventId }: { source: string; eventId: string }) =>
  `${ruleId}:${source}:${eventId}`
