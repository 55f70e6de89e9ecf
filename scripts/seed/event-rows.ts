/** The events of a seeded fan, in their order, and their effects on points, quests and messages. */

import type { Notification } from '../../src/club/notifications/notifications.ts'
import { DEFAULT_SWITCHES } from '../../src/delivery/preferences/preferences.ts'
import { eventOfEntry } from '../../src/economy/events/entry-event.ts'
import type { NewEvent } from '../../src/economy/events/event.ts'
import { draftOf, nameOf } from '../../src/economy/events/event-rows.ts'
import { APPLICATION, type ApplicationEventType, type DataOf } from '../../src/economy/events/types.ts'
import { writeDecisions } from '../../src/economy/rules/decision.ts'
import type { Rule } from '../../src/economy/rules/rule.ts'
import { judge } from '../../src/fan/messages/judge.ts'
import { isWanted, messageRowOf } from '../../src/fan/messages/write-messages.ts'
import type { Quest } from '../../src/play/quests/quest.ts'
import type { Visit } from './draws.ts'
import type { Ledger } from './ledger-rows.ts'
import { createQuestCounter } from './quest-rows.ts'
import type { Rows } from './rows.ts'
import { createRuleBook } from './rule-rows.ts'
import type { SeedSources } from './sources.ts'

/** Notifications by type of event. */
type Listening = ReadonlyMap<string, Notification[]>

export type Recorder = ReturnType<typeof createRecorder>['record']
export type VisitRecorder = ReturnType<typeof createRecorder>['recordVisit']
export type Voider = ReturnType<typeof createRecorder>['voidLatest']

export function createRecorder(
  rows: Rows,
  { userId, locale }: { userId: string; locale: string | null },
  points: Ledger,
  sources: SeedSources,
  { quests, rules, listening }: { quests: Quest[]; rules: Rule[]; listening: Listening },
) {
  let sequence = 0
  /** The first entries that events with a row have. */
  let folded = 0
  const decide = createRuleBook(rows, { userId, points, rules })
  const count = createQuestCounter(rows, { userId, points, sources, quests }, (eventId, completion) =>
    recordOne(applicationEvent('quest.completed', completion, eventId)),
  )

  function applicationEvent<T extends ApplicationEventType>(type: T, data: DataOf<T>, eventId: string) {
    return { source: APPLICATION, eventId, userId, type, occurredAt: sources.now(), data }
  }

  function recordOne(event: NewEvent): void {
    const row = write(event)
    const decisions = decide(event)
    if (decisions.length > 0) row.decisions = writeDecisions(decisions, 'short')
    count(event)
    writeMessages(event)
  }

  /** Seeded fans get no messages for segments, which a seed does not compute. */
  function writeMessages(event: NewEvent): void {
    for (const notification of listening.get(event.type) ?? []) {
      if (notification.segment != null || !isWanted(notification, DEFAULT_SWITCHES)) continue
      const judged = judge(notification, event.data, locale)
      if (judged.outcome !== 'rendered') continue
      const row = messageRowOf(sources, notification, { userId, cause: nameOf(event) }, DEFAULT_SWITCHES)
      rows.messages.push({ ...row, ...judged.texts })
    }
  }

  /** The last of these events has what they have booked, after the entries that the unit of work has booked before. */
  function recordWithCompletions(event: NewEvent, book = () => {}): void {
    book()
    recordOne(event)
    const booked = points.appended().slice(folded)
    const [first, last] = [booked[0], booked.at(-1)]
    if (!first || !last) return
    Object.assign(rows.events.at(-1) ?? {}, {
      entryCount: booked.length,
      firstEntrySeq: first.seq,
      lifetimeAfter: last.lifetime,
    })
    sequence += booked.length
    folded += booked.length
  }

  /** `book`: what the event itself books. */
  function record<T extends ApplicationEventType>(
    type: T,
    data: DataOf<T>,
    eventId = sources.newId(),
    book?: () => void,
  ): void {
    recordWithCompletions(applicationEvent(type, data, eventId), book)
  }

  function write(event: NewEvent): Rows['events'][number] {
    const draft = draftOf(event, sources.now(), { revision: null, position: null, form: 'short' })
    const row: Rows['events'][number] = { ...draft, sequence: ++sequence }
    rows.events.push(row)
    return row
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
    recordVisit: (visit: Visit) => recordWithCompletions({ ...visit, userId, occurredAt: sources.now() }),
    voidLatest,
    /** Each fan is one unit of work, which records its other ledger entries at its end. */
    close() {
      for (const entry of points.appended().slice(folded)) write(eventOfEntry(entry))
    },
  }
}
