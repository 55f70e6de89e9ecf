/** Whether an event counts for a step of a quest. */
import { hash } from 'node:crypto'
import { meetsAll, valueAt } from '../../club/catalogue/conditions.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import type { NewEvent } from '../../economy/events/event.ts'
import type { QuestStep } from './quest.ts'

/**
 * Undefined if the event does not count for the step. Otherwise the hash of its distinct value, or null for a step without
 * `distinctBy`.
 */
export function matchStep(
  { eventType, when, distinctBy }: QuestStep,
  { type, data }: Pick<NewEvent, 'type' | 'data'>,
): string | null | undefined {
  if (type !== eventType || !meetsAll(when, data)) return undefined
  if (distinctBy === null) return null
  const value = valueAt(data, distinctBy)
  // A hash of 128 bits, so that values of other systems are not copied into this table.
  return value === undefined ? undefined : hash('sha256', canonicalJson(value), 'hex').slice(0, 32)
}

/** Whether the match depends on the data of an event, which is deleted after a while. */
export const needsData = ({ when, distinctBy }: QuestStep): boolean => when.length > 0 || distinctBy !== null
