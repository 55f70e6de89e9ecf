/** Every entry of a ledger is an event of its fan: `points.changed`, or `cash.changed`. */
import type { AppendedCash, AppendedEntry } from '../points/appended-entries.ts'
import { APPLICATION, type DataOf } from './types.ts'

/** The id of the event is that of the entry. */
export function eventOfEntry(entry: AppendedEntry | AppendedCash) {
  const { id: eventId, userId, createdAt: occurredAt } = entry
  return { source: APPLICATION, eventId, userId, occurredAt, ...changeOf(entry) }
}

/** Guarantee of the casts: only the ledgers give entries their reason. */
function changeOf(entry: AppendedEntry | AppendedCash) {
  const { delta, balanceAfter: balance, reason, ref } = entry
  if ('currency' in entry) {
    const data = { currency: entry.currency, delta, balance, reason, ref } as DataOf<'cash.changed'>
    return { type: 'cash.changed' as const, data }
  }
  const data = { delta, balance, lifetime: entry.lifetime, reason, ref } as DataOf<'points.changed'>
  return { type: 'points.changed' as const, data }
}
