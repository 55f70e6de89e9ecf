/** Writes messages when an event is recorded. Notifications are in memory: a type without one costs nothing. */
import { readListening } from '../../club/notifications/notifications.ts'
import { nameOf } from '../../economy/events/event-rows.ts'
import type { EventObserver } from '../../economy/events/observers.ts'
import { writeMessages } from './write-messages.ts'

export const messageObserver: EventObserver = {
  async load(tx) {
    const listening = await readListening(tx)
    return {
      observes: type => listening.has(type),
      async onRecorded(tx, events) {
        await writeMessages(
          tx,
          listening,
          events.map(event => ({ ...event, cause: nameOf(event) })),
        )
      },
    }
  },
}
