/** The events of a seeded fan, in their order, and their effects on quests. */
import { type NewEvent, rowOf } from '../../src/economy/events/event.ts'
import { eventOfEntry } from '../../src/economy/events/record-entries.ts'
import { APPLICATION, type ApplicationEventType, type DataOf } from '../../src/economy/events/types.ts'
import type { Quest } from '../../src/play/quests/definition.ts'
import type { Ledger } from './ledger-rows.ts'
import { createQuestCounter } from './quest-rows.ts'
import type { Rows } from './rows.ts'
import type { SeedSources } from './sources.ts'

export type Recorder = ReturnType<typeof createRecorder>['record']
export type Voider = ReturnType<typeof createRecorder>['voidLatest']

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

  /** Voids the newest event of the fan. No demonstration rule or quest reads the events that a seed voids. */
  function voidLatest(type: ApplicationEventType, about: Record<string, string>) {
    const member = JSON.stringify(about).slice(1, -1)
    const row = rows.events.findLast(
      event => event.userId === userId && event.type === type && event.data?.includes(member),
    )
    if (!row) throw new Error(`no ${type} of ${member}`)
    Object.assign(row, { voidedAt: sources.now(), taken: '[]' })
  }

  return {
    record,
    voidLatest,
    /** Each fan is one unit of work, which records its ledger entries at its end. */
    close() {
      for (const entry of points.appended()) write(eventOfEntry(entry))
    },
  }
}
