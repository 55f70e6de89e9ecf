/** Explains the points of an event of a fan, in words. */
import type { Reader } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { describeRule, describeTaken } from '../../../economy/events/describe-event.ts'
import type { EventKey } from '../../../economy/events/event-rows.ts'
import { explainEvent } from '../../../economy/events/explain-event.ts'
import { findToldEvent } from '../../../economy/events/folded.ts'
import { eventProblems } from '../../../economy/events/problems.ts'
import { explainMessages } from './event-messages.ts'
import type { PersonalAccess } from './personal.ts'
import type { ExplainedEvent } from './schema.ts'

/** @throws DomainError `event_not_found`, also for an event of another fan */
export async function explainFanEvent(
  reader: Reader,
  fanId: string,
  key: EventKey,
  { personal }: PersonalAccess,
): Promise<typeof ExplainedEvent.static> {
  const explained = await explainEvent(reader, key)
  if (explained === null || explained === 'void' || explained.userId !== fanId)
    throw new DomainError(eventProblems.event_not_found)
  const { source, eventId, type, sequence, occurredAt, recordedAt, voidedAt, rules, taken } = explained
  const data = personal ? ((await findToldEvent(reader, key))?.data ?? null) : null
  const granted = rules.map(rule => (rule.outcome === 'granted' ? rule.points : null))
  return {
    source,
    eventId,
    type,
    sequence,
    occurredAt: occurredAt.toISOString(),
    recordedAt: recordedAt.toISOString(),
    voidedAt: voidedAt?.toISOString() ?? null,
    granted: granted.reduce<number>((sum, points) => sum + (points ?? 0), 0),
    rules: rules.map((rule, index) => ({
      ruleId: rule.ruleId,
      name: rule.name,
      version: rule.version,
      granted: granted[index] ?? null,
      words: describeRule(rule),
    })),
    taken: voidedAt ? describeTaken(taken) : null,
    messages: await explainMessages(reader, explained),
    data,
  }
}
