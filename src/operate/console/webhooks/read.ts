/** Data of endpoints and deliveries for the pages. */
import type { Reader } from '../../../../db/index.ts'
import { type Cursors, pageOf } from '../../../core/pagination.ts'
import { DomainError } from '../../../core/problems.ts'
import { attemptsOf, messageId } from '../../../delivery/webhooks/deliveries.ts'
import { type Endpoint, findEndpoint, listEndpoints } from '../../../delivery/webhooks/endpoints.ts'
import {
  type FoundDelivery,
  findDelivery,
  pageDeliveries,
} from '../../../delivery/webhooks/find-deliveries.ts'
import { readEndpointBacklogs } from '../../../delivery/webhooks/inspect.ts'
import { parseTypes } from '../../../delivery/webhooks/types.ts'
import { readAwaiting } from '../../../economy/events/distribute.ts'
import { messageTypes } from '../../../economy/events/types.ts'
import { webhookProblems } from './problems.ts'
import type { DeliveryParams, DeliveryQuery } from './schema.ts'

const textOf = (at: Date | null) => at?.toISOString() ?? null

export async function readWebhooks(reader: Reader) {
  const backlogs = new Map((await readEndpointBacklogs(reader)).map(backlog => [backlog.id, backlog]))
  const { pending, since } = await readAwaiting(reader)
  const now = reader.now()
  const endpoints = (await listEndpoints(reader)).map(endpoint => {
    const { pending = 0, since = null } = backlogs.get(endpoint.id) ?? {}
    return { ...presentEndpoint(endpoint, now), pending, oldestAt: textOf(since) }
  })
  return { endpoints, awaiting: { pending, oldestAt: textOf(since) }, types: [...messageTypes] }
}

/** Without its secrets. */
function presentEndpoint(endpoint: Endpoint, now: Date) {
  const { id, url, types, disabledAt, disabledReason, pausedUntil, failingSince, createdAt } = endpoint
  const isLater = (at: Date | null) => at !== null && at > now
  const state: 'disabled' | 'paused' | 'active' =
    disabledAt !== null ? 'disabled' : isLater(pausedUntil) ? 'paused' : 'active'
  const { previousSecretEndsAt: ends } = endpoint
  return {
    id,
    url,
    types: parseTypes(types),
    state,
    disabledReason,
    disabledAt: textOf(disabledAt),
    pausedUntil: isLater(pausedUntil) ? textOf(pausedUntil) : null,
    failingSince: textOf(failingSince),
    createdAt: createdAt.toISOString(),
    previousSecretEndsAt: isLater(ends) ? textOf(ends) : null,
  }
}

/** @throws DomainError `webhook_endpoint_not_found` */
export async function requireEndpoint(reader: Reader, id: string): Promise<Endpoint> {
  const endpoint = await findEndpoint(reader, id)
  if (!endpoint) throw new DomainError(webhookProblems.webhook_endpoint_not_found)
  return endpoint
}

export async function listDeliveries(reader: Reader, cursors: Cursors, query: typeof DeliveryQuery.static) {
  const { endpointId, state, type } = query
  const { deliveries, nextCursor } = await pageDeliveries(
    reader,
    cursors,
    { endpointId, state, type },
    pageOf(query),
  )
  return { deliveries: deliveries.map(presentDelivery), nextCursor }
}

/** @throws DomainError `webhook_delivery_not_found` */
export async function readDelivery(reader: Reader, params: typeof DeliveryParams.static) {
  const found = await findDelivery(reader, keyOf(params))
  if (!found) throw new DomainError(webhookProblems.webhook_delivery_not_found)
  const { userId: lane, sequence, body } = found
  return {
    ...presentDelivery(found),
    messageId: messageId({ lane, sequence }),
    body,
    history: attemptsOf(found),
  }
}

export const keyOf = ({ endpointId, lane, sequence }: typeof DeliveryParams.static) => ({
  endpointId,
  userId: lane,
  sequence: Number(sequence),
})

function presentDelivery(delivery: FoundDelivery) {
  const { endpointId, userId: lane, sequence, type, state, attempts, createdAt, nextAttemptAt } = delivery
  return {
    endpointId,
    lane,
    sequence,
    type,
    attempts,
    // Guarantee of the cast: a constraint of the table.
    state: state as 'pending' | 'delivered' | 'failed',
    createdAt: createdAt.toISOString(),
    nextAttemptAt: textOf(nextAttemptAt),
    last: attemptsOf(delivery).at(-1) ?? null,
  }
}
