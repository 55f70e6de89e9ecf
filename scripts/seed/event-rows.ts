/** The events of a seeded fan, in their order, and what they do to quests. */
import { type NewEvent, rowOf } from '../../src/economy/events/event.ts'
import { eventOfEntry } from '../../src/economy/events/record-entries.ts'
import { APPLICATION, type ApplicationEventType, type DataOf } from '../../src/economy/events/types.ts'
import type { Quest } from '../../src/play/quests/definition.ts'
import type { Ledger } from './ledger-rows.ts'
import { createQuestCounter } from './quest-rows.ts'
import type { Rows } from './rows.ts'
import type { SeedSources } from './sources.ts'

export type Recorder = ReturnType<typeof createRecorder>['record']

export function createRecorder(
  rows: Rows,
  userId: string,
  points: Ledger,
  sources: SeedSources,
  quests: Quest[],
) {
  let sequence = 0
  const count = createQuestCounter(rows, { userId, points, sources, quests }, (eventId, completion) =>
    record('quest.completed', completion, eventId),
  )

  function record<T extends ApplicationEventType>(type: T, data: DataOf<T>, eventId = sources.newId()) {
    const event = {
      source: APPLICATION,
      eventId,
      userId,
      type,
      occurredAt: sources.now(),
      data,
      digest: null,
    }
    write(event)
    count(event)
  }

  function write(event: NewEvent) {
    rows.events.push({ ...rowOf(event, sources.now()), sequence: ++sequence })
  }

  return {
    record,
    /** The fan is one unit of work, and the entries of a unit of work are recorded at its end. */
    close() {
      for (const entry of points.appended()) write(eventOfEntry(entry))
    },
  }
}
