/** Events as text. */

import { decisionsOf, type EventRow, grantsOf, parseJson } from '../../src/economy/events/event.ts'
import type { Replay } from '../../src/economy/events/replay-event.ts'
import type { TakenGrant } from '../../src/economy/rules/apply-rules.ts'
import type { Decision } from '../../src/economy/rules/decision.ts'

/** One line with time, fan, type and grants. */
export function lineOf(row: EventRow): string {
  const points = grantsOf(decisionsOf(row)).reduce((sum, grant) => sum + grant.points, 0)
  return [
    row.recordedAt.toISOString(),
    `${row.userId}#${row.sequence}`,
    row.type,
    `${row.source}/${row.eventId}`,
    row.data ?? '(data deleted)',
    ...(points > 0 ? [`+${points}`] : []),
    ...(row.voidedAt ? ['voided'] : []),
  ].join('  ')
}

/** With JSON columns as values, and without how the row is stored. */
export function toJson(row: EventRow) {
  const { digest, entryCount, firstEntrySeq, lifetimeAfter, eventId: id, data, taken, ...shown } = row
  return { id, ...shown, data: parseJson(data), decisions: decisionsOf(row), taken: parseJson(taken) }
}

export function describeRow(row: EventRow): string {
  const { voidedAt, voidNote } = row
  if (row.userId === null)
    return `Event ${row.eventId} of ${row.source} has not arrived. It was voided at ${voidedAt?.toISOString()}.`
  return [
    `Event ${row.eventId} of ${row.source}`,
    `  type      ${row.type}`,
    `  fan       ${row.userId}, number ${row.sequence}`,
    `  occurred  ${row.occurredAt?.toISOString()}`,
    `  recorded  ${row.recordedAt.toISOString()}`,
    `  data      ${row.data ?? 'deleted'}`,
    `  rules     ${describeDecisions(decisionsOf(row))}`,
    ...(voidedAt ? [`  voided    ${voidedAt.toISOString()}${voidNote ? `: ${voidNote}` : ''}`] : []),
    ...(voidedAt ? [`  taken     ${describeTaken(parseJson<TakenGrant[]>(row.taken) ?? [])}`] : []),
  ].join('\n')
}

export function describeReplay({ event, decided, taken, decisions, hasListeners, further }: Replay): string {
  return [
    `Event ${event.eventId} of ${event.source}: ${event.type}`,
    `  decided then  ${describeDecisions(decided)}`,
    `  void takes    ${describeTaken(taken)}`,
    `  decided now   ${hasListeners ? describeDecisions(decisions) : 'nothing listens to its type'}`,
    ...further.map(({ source, type, data }) => `  then records  ${type} of ${source} ${data ?? ''}`),
    'Nothing was written.',
  ].join('\n')
}

const describeDecisions = (decisions: Decision[]) =>
  decisions
    .map(({ ruleId, outcome, points }) =>
      outcome === 'granted' ? `${ruleId} granted ${points} points` : `${ruleId} nothing (${outcome})`,
    )
    .join(', ') || 'no rule matched'

const describeTaken = (taken: TakenGrant[]) =>
  taken
    .map(({ ruleId, points, uncollected }) => `${points} points of ${ruleId}, ${uncollected} had been spent`)
    .join(', ') || 'nothing'
