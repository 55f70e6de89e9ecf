/** Events that neither rules nor readers get: only subscribers, the stream and lists of events. */
import type { Transaction } from '../../../db/index.ts'
import { readVersion } from '../../club/catalogue/versions.ts'
import type { NewEvent } from './event.ts'
import { draftOf, insertEvents } from './event-rows.ts'
import { listeningAt } from './listeners.ts'
import { AWAITING } from './outbox.ts'

/** In their order. Their types are among those that rules and quests cannot listen to: see `eventTypeFaults`. */
export async function recordNotices(tx: Transaction, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const version = await readVersion(tx)
  const { isSubscribed } = await listeningAt(tx, version)
  const revision = version?.revision ?? null
  const drafts = events.map(event =>
    draftOf(event, tx.now(), { revision, position: isSubscribed(event.type) ? AWAITING : null }),
  )
  await insertEvents(tx, drafts)
  for (const event of events) tx.spine.events.recorded.announce(tx, event)
  if (drafts.some(({ position }) => position !== null)) tx.spine.events.awaiting.announce(tx)
}
