/** Every entry of a ledger is an event of its fan, `points.changed`. */
import type { Transaction } from '../../../db/index.ts'
import type { AppendedEntry } from '../points/appended-entries.ts'
import { recordNotices } from './record-notices.ts'
import { APPLICATION, type DataOf } from './types.ts'

const TYPE = 'points.changed'

/**
 * Records entries in their order; the id of the event is that of the entry. Neither rules nor readers get the event: what
 * they would book for it would be an entry again.
 */
export const recordEntries = (tx: Transaction, entries: AppendedEntry[]): Promise<void> =>
  recordNotices(tx, entries.map(eventOfEntry))

export function eventOfEntry(entry: AppendedEntry) {
  const { id, userId, delta, balanceAfter, lifetime, reason, ref, createdAt } = entry
  // Guarantee of the cast: only `PointsChange` and `takeBack` give entries their reason.
  const data = { delta, balance: balanceAfter, lifetime, reason, ref } as DataOf<typeof TYPE>
  return { source: APPLICATION, eventId: id, userId, type: TYPE, occurredAt: createdAt, data }
}
