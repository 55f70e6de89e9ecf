/** What a rule decided about an event. The decisions of an event are stored with it, as JSON. */

export interface Decision {
  ruleId: string
  /** The version of the rule. */
  version: number
  /** All but `granted`: the rule matched and granted nothing. `full`: the fan's account could not hold the points. */
  outcome: 'granted' | 'limit' | 'full' | 'budget'
  points: number
  /** The window of the rule's limit; null without a limit. */
  window: string | null
  /** Whether the rule has a budget. */
  budgeted: boolean
}

/** Identifies a grant in the ledger: several rules may grant points for one event. */
export const grantRef = (ruleId: string, { source, eventId }: { source: string; eventId: string }) =>
  `${ruleId}:${source}:${eventId}`
