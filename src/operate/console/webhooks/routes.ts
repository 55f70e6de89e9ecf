/** Endpoints of webhooks, and their deliveries. */

import { parseInstant, parseQueryInstant } from '../../../core/instant.ts'
import type { Cursors } from '../../../core/pagination.ts'
import { countReplayed } from '../../../delivery/webhooks/replay.ts'
import type { Jobs } from '../../admin/jobs/kinds.ts'
import { action, withActions } from '../contract/action.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { presentRun } from '../jobs/read.ts'
import { JobRun } from '../jobs/schema.ts'
import { startJob } from '../jobs/start.ts'
import * as change from './change.ts'
import { thrownBy } from './problems.generated.ts'
import { listDeliveries, readDelivery, readWebhooks, requireEndpoint } from './read.ts'
import * as schema from './schema.ts'

type WebhookDeps = StaffDeps & change.TestDeps & { cursors: Cursors; jobs: Jobs }

const write = 'webhooks.write'
const ofEndpoint = {
  subject: ({ params: { endpointId } }: { params: { endpointId: string } }) => ({
    kind: 'webhook_endpoint',
    id: endpointId,
  }),
  permission: write,
  params: schema.EndpointParams,
} as const
const byReason = { body: schema.WithReason, example: { reason: 'The receiver moved.' } }

const changes = ({ config: { production }, webhookSecrets: secrets, jobs }: WebhookDeps) => [
  action({
    ...byReason,
    path: '/endpoints/:endpointId/deliveries/:lane/:sequence/resend',
    id: 'resendWebhookDelivery',
    summary: 'Send one delivery again',
    permission: write,
    params: schema.DeliveryParams,
    subject: ({ params: { endpointId, lane, sequence } }) => ({
      kind: 'webhook_delivery',
      id: `${endpointId}/${lane}/${sequence}`,
    }),
    verb: (tx, { params }) => change.resend(tx, params),
    answer: schema.Changed,
    problems: thrownBy.resendWebhookDelivery,
  }),
  action({
    path: '/endpoints',
    id: 'addWebhookEndpoint',
    summary: 'Add an endpoint; its secret is shown once',
    permission: write,
    body: schema.NewEndpoint,
    // The id exists only after the write, so the audit log has it in its detail.
    subject: { kind: 'webhook_endpoint', id: 'new' },
    verb: (tx, { body: { url, types } }) =>
      change.addCheckedEndpoint(tx, { secrets, production }, { url, types }),
    detail: ({ id }, { body: { url, types } }) => ({ id, host: URL.parse(url)?.host ?? '', types }),
    answer: schema.AddedEndpoint,
    status: 201,
    example: { url: 'https://crm.example.com/hooks', types: ['quest.*'], reason: 'The CRM needs them.' },
  }),
  action({
    ...ofEndpoint,
    method: 'PUT',
    path: '/endpoints/:endpointId/types',
    id: 'setWebhookTypes',
    summary: 'Change the event types of an endpoint',
    body: schema.ChangedTypes,
    verb: (tx, { body: { types }, params: { endpointId } }) => change.setTypes(tx, endpointId, types),
    detail: (_, { body: { types } }) => ({ types }),
    answer: schema.Changed,
    problems: thrownBy.setWebhookTypes,
    example: { types: ['*'], reason: 'The CRM needs everything.' },
  }),
  action({
    ...ofEndpoint,
    ...byReason,
    path: '/endpoints/:endpointId/rotate',
    id: 'rotateWebhookSecret',
    summary: 'Create a new secret, which is shown once',
    verb: (tx, { params: { endpointId } }) => change.rotate(tx, secrets, endpointId),
    answer: schema.RotatedSecret,
    problems: thrownBy.rotateWebhookSecret,
  }),
  action({
    ...ofEndpoint,
    ...byReason,
    path: '/endpoints/:endpointId/disable',
    id: 'disableWebhookEndpoint',
    summary: 'Disable an endpoint; its events are kept for 30 days',
    verb: (tx, { params: { endpointId } }) => change.disable(tx, endpointId),
    answer: schema.Changed,
    problems: thrownBy.disableWebhookEndpoint,
  }),
  action({
    ...ofEndpoint,
    ...byReason,
    path: '/endpoints/:endpointId/enable',
    id: 'enableWebhookEndpoint',
    summary: 'Enable an endpoint; pending events are sent first',
    verb: (tx, { params: { endpointId } }) => change.enable(tx, endpointId),
    answer: schema.Changed,
    problems: thrownBy.enableWebhookEndpoint,
  }),
  action({
    ...ofEndpoint,
    ...byReason,
    path: '/endpoints/:endpointId/remove',
    id: 'removeWebhookEndpoint',
    summary: 'Delete an endpoint with its deliveries',
    verb: (tx, { params: { endpointId } }) => change.remove(tx, endpointId),
    answer: schema.Changed,
    problems: thrownBy.removeWebhookEndpoint,
  }),
  action({
    ...ofEndpoint,
    path: '/endpoints/:endpointId/replay',
    id: 'replayWebhooks',
    summary: 'Replay the events since a time, in order for each fan',
    body: schema.Replay,
    verb: async (tx, { body, params: { endpointId }, staff }) => {
      await requireEndpoint(tx, endpointId)
      return startJob(tx, { jobs, staff }, 'replay-webhooks', { endpointId, since: sinceOf(body) })
    },
    detail: ({ id }, { body }) => ({ since: sinceOf(body), run: id }),
    answer: JobRun,
    status: 202,
    respond: presentRun,
    problems: thrownBy.replayWebhooks,
    example: { since: '2026-11-20T00:00:00Z', reason: 'The CRM lost a day.' },
  }),
]

/** Guarantee of the fallback: the schema refuses what is no instant. */
const sinceOf = ({ since }: { since: string }) => (parseInstant(since) ?? new Date(0)).toISOString()

export const webhookRoutes = (deps: WebhookDeps) => {
  const { db, cursors } = deps
  const group = staff(deps, { prefix: '/api/webhooks', tag: 'Webhooks' })
    .get(
      '',
      () => readWebhooks(db.read),
      consoleOperation({
        id: 'listWebhooks',
        summary: 'List endpoints with their state and backlog',
        permission: 'webhooks.read',
        responses: { 200: schema.Webhooks },
      }),
    )
    .get(
      '/deliveries',
      ({ query }) => listDeliveries(db.read, cursors, query),
      consoleOperation({
        id: 'listWebhookDeliveries',
        summary: 'List deliveries, newest event first',
        permission: 'webhooks.read',
        query: schema.DeliveryQuery,
        responses: { 200: schema.DeliveryPage },
        problems: thrownBy.listWebhookDeliveries,
      }),
    )
    .get(
      '/endpoints/:endpointId/deliveries/:lane/:sequence',
      ({ params }) => readDelivery(db.read, params),
      consoleOperation({
        id: 'readWebhookDelivery',
        summary: 'Read a delivery with its attempts',
        permission: 'webhooks.read',
        params: schema.DeliveryParams,
        responses: { 200: schema.Delivery },
        problems: thrownBy.readWebhookDelivery,
      }),
    )
    .post(
      '/endpoints/:endpointId/test',
      async ({ params: { endpointId }, body: { type }, act }) => {
        // Recorded first: the receiver may have got a test even if it ends in an error here.
        await act(
          ofEndpoint.subject({ params: { endpointId } }),
          undefined,
          tx => requireEndpoint(tx, endpointId),
          {
            detail: { type: type ?? null },
          },
        )
        return change.sendTest(deps, endpointId, type)
      },
      consoleOperation({
        id: 'testWebhookEndpoint',
        summary: 'Send a test message, and show the response',
        permission: write,
        reversible: 'it is no event, and nothing of it is stored',
        params: schema.EndpointParams,
        body: schema.TestRequest,
        responses: { 200: schema.TestResponse },
        problems: thrownBy.testWebhookEndpoint,
        examples: { body: { type: 'reward.claimed' } },
      }),
    )
    .get(
      '/endpoints/:endpointId/replay',
      async ({ params: { endpointId }, query }) => {
        await requireEndpoint(db.read, endpointId)
        // Guarantee of the fallback: the schema refuses what is no instant.
        const since = parseQueryInstant(query.since) ?? new Date(0)
        return { deliveries: await countReplayed(db.read, endpointId, since) }
      },
      consoleOperation({
        id: 'countWebhookReplay',
        summary: 'Count the deliveries that a replay would send',
        permission: 'webhooks.read',
        params: schema.EndpointParams,
        query: schema.ReplayQuery,
        responses: { 200: schema.ReplayCount },
        problems: thrownBy.countWebhookReplay,
      }),
    )
  return withActions(group, changes(deps))
}
