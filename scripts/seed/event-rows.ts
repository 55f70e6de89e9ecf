/** The events of a seeded fan, in their order, and what they do to quests. */
import { rowOf } from '../../src/events/event.ts'
import { APPLICATION, type ApplicationEventType, type DataOf } from '../../src/events/types.ts'
import type { Quest } from '../../src/quests/definition.ts'
import type { Ledger } from './ledger-rows.ts'
import { createQuestCounter } from './quest-rows.ts'
import type { Rows } from './rows.ts'
import type { SeedSources } from './sources.ts'

export type Recorder = ReturnType<typeof createRecorder>

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
    const at = sources.now()
    const event = { source: APPLICATION, eventId, userId, type, occurredAt: at, data }
    rows.events.push({ ...rowOf({ ...event, digest: null }, at), sequence: ++sequence })
    count(event)
  }

  return record
}
