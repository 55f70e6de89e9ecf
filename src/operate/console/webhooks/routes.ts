/** Endpoints of webhooks, and what was sent to them. */
import { parseInstant, parseQueryInstant } from '../../../core/instant.ts'
import { DomainError } from '../../../core/problems.ts'
import { countReplayed } from '../../../delivery/webhooks/replay.ts'
import { consoleOperation } from '../contract/operation.ts'
import { staff } from '../contract/staff.ts'
import type { ConsoleDeps } from '../deps.ts'
import { jobProblems } from '../jobs/problems.ts'
import { presentRun } from '../jobs/read.ts'
import { JobRun } from '../jobs/schema.ts'
import * as change from './change.ts'
import { webhookProblems } from './problems.ts'
import { listDeliveries, readDelivery, readWebhooks, requireEndpoint } from './read.ts'
import * as schema from './schema.ts'

const write = 'webhooks.write'
const endpoint = (id: string) => ({ kind: 'webhook_endpoint', id })
const { endpointProblems, fieldProblems } = change
const reasonExample = { body: { reason: 'The receiver moved.' } }

export const webhookRoutes = (deps: ConsoleDeps) => {
  const { db, config, cursors, webhookSecrets: secrets, jobs } = deps
  return staff(deps, { prefix: '/api/webhooks', tag: 'Webhooks' })
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
        summary: 'List deliveries, the newest event first',
        permission: 'webhooks.read',
        query: schema.DeliveryQuery,
        responses: { 200: schema.DeliveryPage },
      }),
    )
    .get(
      '/endpoints/:endpointId/deliveries/:lane/:sequence',
      ({ params }) => readDelivery(db.read, params),
      consoleOperation({
        id: 'readWebhookDelivery',
        summary: 'A delivery with its attempts',
        permission: 'webhooks.read',
        params: schema.DeliveryParams,
        responses: { 200: schema.Delivery },
        problems: [webhookProblems.webhook_delivery_not_found],
      }),
    )
    .post(
      '/endpoints/:endpointId/deliveries/:lane/:sequence/resend',
      ({ params, body, act }) => {
        const { endpointId, lane, sequence } = params
        const id = `${endpointId}/${lane}/${sequence}`
        return act({ kind: 'webhook_delivery', id }, body.reason, tx => change.resend(tx, params))
      },
      consoleOperation({
        id: 'resendWebhookDelivery',
        summary: 'Send one delivery again',
        permission: write,
        params: schema.DeliveryParams,
        body: schema.WithReason,
        responses: { 200: schema.Changed },
        problems: [webhookProblems.webhook_delivery_not_found],
        examples: reasonExample,
      }),
    )
    .post(
      '/endpoints',
      async ({ body, act, set }) => {
        set.status = 201
        const { reason, ...input } = body
        const adding = { secrets, production: config.production }
        // The id exists after the write alone; the audit log has it in its detail.
        return act(endpoint('new'), reason, tx => change.addCheckedEndpoint(tx, adding, input), {
          detail: ({ id }) => ({ id, host: URL.parse(input.url)?.host ?? '', types: input.types }),
        })
      },
      consoleOperation({
        id: 'addWebhookEndpoint',
        summary: 'Add an endpoint; its secret is shown once',
        permission: write,
        body: schema.NewEndpoint,
        responses: { 201: schema.AddedEndpoint },
        problems: fieldProblems,
        examples: {
          body: { url: 'https://crm.example.com/hooks', types: ['quest.*'], reason: 'The CRM needs them.' },
        },
      }),
    )
    .put(
      '/endpoints/:endpointId/types',
      ({ params: { endpointId }, body: { types, reason }, act }) =>
        act(endpoint(endpointId), reason, tx => change.setTypes(tx, endpointId, types), {
          detail: { types },
        }),
      consoleOperation({
        id: 'setWebhookTypes',
        summary: 'Change which types an endpoint receives',
        permission: write,
        params: schema.EndpointParams,
        body: schema.ChangedTypes,
        responses: { 200: schema.Changed },
        problems: [...endpointProblems, ...fieldProblems],
        examples: { body: { types: ['*'], reason: 'The CRM needs everything.' } },
      }),
    )
    .post(
      '/endpoints/:endpointId/rotate',
      ({ params: { endpointId }, body: { reason }, act }) =>
        act(endpoint(endpointId), reason, tx => change.rotate(tx, secrets, endpointId)),
      consoleOperation({
        id: 'rotateWebhookSecret',
        summary: 'Make a new secret, which is shown once',
        permission: write,
        params: schema.EndpointParams,
        body: schema.WithReason,
        responses: { 200: schema.RotatedSecret },
        problems: endpointProblems,
        examples: reasonExample,
      }),
    )
    .post(
      '/endpoints/:endpointId/disable',
      ({ params: { endpointId }, body: { reason }, act }) =>
        act(endpoint(endpointId), reason, tx => change.disable(tx, endpointId)),
      consoleOperation({
        id: 'disableWebhookEndpoint',
        summary: 'Send nothing to an endpoint; its events are kept for 30 days',
        permission: write,
        params: schema.EndpointParams,
        body: schema.WithReason,
        responses: { 200: schema.Changed },
        problems: endpointProblems,
        examples: reasonExample,
      }),
    )
    .post(
      '/endpoints/:endpointId/enable',
      ({ params: { endpointId }, body: { reason }, act }) =>
        act(endpoint(endpointId), reason, tx => change.enable(tx, endpointId)),
      consoleOperation({
        id: 'enableWebhookEndpoint',
        summary: 'Send to an endpoint again, what is pending first',
        permission: write,
        params: schema.EndpointParams,
        body: schema.WithReason,
        responses: { 200: schema.Changed },
        problems: endpointProblems,
        examples: reasonExample,
      }),
    )
    .post(
      '/endpoints/:endpointId/remove',
      ({ params: { endpointId }, body: { reason }, act }) =>
        act(endpoint(endpointId), reason, tx => change.remove(tx, endpointId)),
      consoleOperation({
        id: 'removeWebhookEndpoint',
        summary: 'Delete an endpoint with its deliveries',
        permission: write,
        params: schema.EndpointParams,
        body: schema.WithReason,
        responses: { 200: schema.Changed },
        problems: endpointProblems,
        examples: reasonExample,
      }),
    )
    .post(
      '/endpoints/:endpointId/test',
      async ({ params: { endpointId }, body: { type }, act }) => {
        // Recorded first: the receiver may have got what ends in an error here.
        await act(endpoint(endpointId), undefined, tx => requireEndpoint(tx, endpointId), {
          detail: { type: type ?? null },
        })
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
        problems: [...endpointProblems, ...fieldProblems, webhookProblems.webhook_secret_unreadable],
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
        summary: 'How many deliveries a replay would send again',
        permission: 'webhooks.read',
        params: schema.EndpointParams,
        query: schema.ReplayQuery,
        responses: { 200: schema.ReplayCount },
        problems: endpointProblems,
      }),
    )
    .post(
      '/endpoints/:endpointId/replay',
      async ({ params: { endpointId }, body, act, staff, set }) => {
        set.status = 202
        const since = (parseInstant(body.since) ?? new Date(0)).toISOString()
        const run = await act(
          endpoint(endpointId),
          body.reason,
          async tx => {
            await requireEndpoint(tx, endpointId)
            const started = await jobs.start(tx, 'replay-webhooks', { endpointId, since }, staff)
            if (!started) throw new DomainError(jobProblems.job_running)
            return started
          },
          { detail: ({ id }) => ({ since, run: id }) },
        )
        return presentRun(run)
      },
      consoleOperation({
        id: 'replayWebhooks',
        summary: 'Send again what happened since a time, each fan’s in order',
        permission: write,
        params: schema.EndpointParams,
        body: schema.Replay,
        responses: { 202: JobRun },
        problems: [...endpointProblems, jobProblems.job_running],
        examples: { body: { since: '2026-11-20T00:00:00Z', reason: 'The CRM lost a day.' } },
      }),
    )
}
