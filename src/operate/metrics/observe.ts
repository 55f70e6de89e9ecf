/** Updates the metrics that count events as they happen. */

import type { Database, DatabaseObserver } from '../../../db/index.ts'
import { PUSH_OUTCOMES, SERVICE_KINDS } from '../../delivery/push/spine.ts'
import { ATTEMPT_OUTCOMES } from '../../delivery/webhooks/spine.ts'
import { applicationEvents } from '../../economy/events/types.ts'
import { POINTS_REASONS } from '../../economy/ledgers/reasons.ts'
import { MESSAGE_OUTCOMES } from '../../fan/messages/spine.ts'
import type { ProviderObserver } from '../../platform/identity-provider/provider.ts'
import type { Metrics } from './definitions.ts'

/** Label of requests that reached no operation. */
const NO_OPERATION = 'none'
/** Maximum event types of other systems with their own label: the first ones since the start. Others are `other`. */
const MAX_FOREIGN_TYPES = 100

export const observeDatabase = (metrics: Metrics): DatabaseObserver => ({
  writeEnded: ms => metrics.writeDuration.observe(ms / 1000),
  committed: units => metrics.batchSize.observe(units),
  flushed: ms => metrics.fsyncDuration.observe(ms / 1000),
})

export const observeRequests =
  ({ requests, requestDuration }: Pick<Metrics, 'requests' | 'requestDuration'>) =>
  (operation = NO_OPERATION, code: number, ms: number): void => {
    requests.inc({ operation, code })
    requestDuration.observe({ operation }, ms / 1000)
  }

export const observeProvider =
  ({ providerRequests, providerDuration }: Metrics): ProviderObserver =>
  ({ endpoint, result, ms }) => {
    providerRequests.inc({ endpoint, result })
    providerDuration.observe({ endpoint }, ms / 1000)
  }

/** Counts committed units of work of this process. Returns a function that ends it. */
export function observeCommits(metrics: Metrics, { read }: Pick<Database, 'read'>): () => void {
  // Creates these series at the start: Prometheus sees no increase if a series begins with its first count.
  for (const type of Object.keys(applicationEvents)) metrics.events.inc({ type }, 0)
  for (const reason of POINTS_REASONS) {
    metrics.ledgerEntries.inc({ reason }, 0)
    for (const direction of ['granted', 'taken']) metrics.ledgerPoints.inc({ reason, direction }, 0)
  }
  for (const outcome of MESSAGE_OUTCOMES) metrics.messages.inc({ outcome }, 0)
  for (const outcome of ATTEMPT_OUTCOMES) metrics.webhookAttempts.inc({ outcome }, 0)
  for (const service of SERVICE_KINDS)
    for (const outcome of PUSH_OUTCOMES) metrics.pushes.inc({ service, outcome }, 0)
  const typeOf = boundedLabel(Object.keys(applicationEvents), MAX_FOREIGN_TYPES)
  const { events, messages, points, push, webhooks } = read.spine
  const endings = [
    events.recorded.listen(({ type }) => metrics.events.inc({ type: typeOf(type) })),
    points.entryBooked.listen(({ reason, delta }) => {
      metrics.ledgerEntries.inc({ reason })
      metrics.ledgerPoints.inc({ reason, direction: delta > 0 ? 'granted' : 'taken' }, Math.abs(delta))
    }),
    messages.decided.listen(({ outcome, count }) => metrics.messages.inc({ outcome }, count)),
    push.settled.listen(({ service, outcome, count }) => metrics.pushes.inc({ service, outcome }, count)),
    webhooks.attemptsSettled.listen(({ outcome, count }) => metrics.webhookAttempts.inc({ outcome }, count)),
  ]
  return () => {
    for (const end of endings) end()
  }
}

/** `known` values and the first `max` others stay as they are; further ones become `other`. */
function boundedLabel(known: string[], max: number): (value: string) => string {
  const labels = new Set(known)
  const limit = labels.size + max
  return value => {
    if (!labels.has(value) && labels.size >= limit) return 'other'
    labels.add(value)
    return value
  }
}
