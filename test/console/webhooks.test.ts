/** Webhooks in the console: endpoints with their secrets, deliveries with their attempts, and what is sent again. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Receiver, startReceiver } from '../delivery/webhooks/receiver.ts'
import {
  dispatcherOf,
  distributeAll,
  drain,
  happen,
  newFan,
  removeEndpoints,
} from '../delivery/webhooks/webhooks-world.ts'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

onEachEngine('webhooks in the console', world => {
  const { as } = consoleOf(world)
  const owner = () => as('owner')
  const reason = 'The CRM moves.'
  let receiver: Receiver

  beforeEach(() => {
    receiver = startReceiver()
  })
  afterEach(async () => {
    await receiver.stop()
    await removeEndpoints(world)
  })

  const add = async (types = ['*']) => {
    const { status, body } = await owner().post('/api/webhooks/endpoints', {
      url: receiver.url,
      types,
      reason,
    })
    expect(status).toBe(201)
    return body as { id: string; secret: string }
  }
  const endpointOf = async (id: string) => {
    const { body } = await owner().get('/api/webhooks')
    return body.endpoints.find((one: { id: string }) => one.id === id)
  }
  const deliveries = async (query = '') => (await owner().get(`/api/webhooks/deliveries${query}`)).body
  const deliver = async () => {
    const dispatcher = dispatcherOf(world)
    await drain(world, dispatcher)
    await dispatcher.stop()
  }
  const auditText = async () => JSON.stringify((await owner().get('/api/audit')).body)

  test('an endpoint is added with its secret once, which neither the list nor the audit log has', async () => {
    const { id, secret } = await add(['reward.claimed', 'quest.*'])
    expect(secret).toStartWith('whsec_')
    expect(await endpointOf(id)).toMatchObject({
      ...{ url: receiver.url, types: ['reward.claimed', 'quest.*'], state: 'active', pending: 0 },
      oldestAt: null,
    })
    const rotated = await owner().post(`/api/webhooks/endpoints/${id}/rotate`, { reason })
    expect(rotated.status).toBe(200)
    expect(rotated.body.secret).not.toBe(secret)
    expect((await endpointOf(id)).previousSecretEndsAt).toBe(rotated.body.previousSecretEndsAt)
    const [audit, list] = [await auditText(), JSON.stringify((await owner().get('/api/webhooks')).body)]
    expect(audit).toContain('rotateWebhookSecret')
    for (const text of [audit, list])
      for (const kept of [secret, rotated.body.secret, 'key=of-the-receiver'].slice(0, text === list ? 2 : 3))
        expect(text).not.toContain(kept)
  })

  test.each([
    ['/url', { url: 'ftp://crm.example.com', types: ['*'] }],
    ['/types/1', { url: 'https://crm.example.com', types: ['*', 'reward.claimd'] }],
  ])('an endpoint with a wrong %s is refused at its field', async (pointer, input) => {
    const { status, body } = await owner().post('/api/webhooks/endpoints', { ...input, reason })
    expect([status, body.errors[0].pointer]).toEqual([422, pointer])
  })

  test('types, pause and enabling change what is sent', async () => {
    const { id } = await add(['quest.*'])
    const at = (action: string, body: object) =>
      owner()[action === 'types' ? 'put' : 'post'](`/api/webhooks/endpoints/${id}/${action}`, body)
    const fan = await newFan(world)
    await happen(world, fan)
    await distributeAll(world)
    expect((await deliveries(`?endpointId=${id}`)).deliveries).toEqual([])
    expect((await at('types', { types: ['reward.claimed'], reason })).status).toBe(200)
    expect((await at('disable', { reason })).body).toEqual({ changed: true })
    expect((await at('disable', { reason })).body).toEqual({ changed: false })
    await happen(world, fan)
    await deliver()
    expect(receiver.received).toHaveLength(0)
    expect(await endpointOf(id)).toMatchObject({ state: 'disabled', disabledReason: 'operator', pending: 1 })
    expect((await at('enable', { reason })).body).toEqual({ changed: true })
    await deliver()
    expect(receiver.received).toHaveLength(1)
    expect(await endpointOf(id)).toMatchObject({ state: 'active', pending: 0 })
  })

  test('a delivery shows each attempt with its response as text', async () => {
    const { id } = await add()
    const fan = await newFan(world)
    const hostile = '<img src=x onerror=alert(1)>'
    receiver.behave((_, count) => (count < 3 ? new Response(hostile, { status: 500 + count }) : undefined))
    await happen(world, fan)
    for (let round = 0; round < 3; round++) {
      await deliver()
      world.clock.advance(600_000)
    }
    const [found] = (await deliveries(`?endpointId=${id}&state=delivered`)).deliveries
    expect(found).toMatchObject({ lane: fan, type: 'reward.claimed', state: 'delivered', attempts: 3 })
    const path = `/api/webhooks/endpoints/${id}/deliveries/${found.lane}/${found.sequence}`
    const { body } = await owner().get(path)
    expect(body.history.map(({ status }: { status: number }) => status)).toEqual([501, 502, 204])
    expect(body.history[0].response).toBe(hostile)
    expect(body.messageId).toBe(receiver.received[0]?.headers['webhook-id'])
    expect(JSON.parse(body.body).data.userId).toBe(fan)
  })

  test('deliveries are filtered by state and type, and paged', async () => {
    const { id } = await add()
    const fan = await newFan(world)
    receiver.behave(({ body }) =>
      body.type === 'quest.completed' ? new Response('no', { status: 410 }) : undefined,
    )
    for (let n = 0; n < 3; n++) {
      await happen(world, fan)
      await deliver()
      world.clock.advance(1_000)
    }
    await happen(world, fan, { type: 'quest.completed', data: { questId: 'q' } })
    await deliver()
    const of = async (query: string) => (await deliveries(`?endpointId=${id}&${query}`)).deliveries.length
    expect([await of('state=delivered'), await of('state=pending'), await of('state=failed')]).toEqual([
      3, 1, 0,
    ])
    expect([await of('type=quest.completed'), await of('type=shop.purchase')]).toEqual([1, 0])
    const seen: number[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { deliveries: { sequence: number }[]; nextCursor: string | null } = await deliveries(
        `?endpointId=${id}&limit=2${cursor && `&cursor=${cursor}`}`,
      )
      seen.push(...page.deliveries.map(({ sequence }) => sequence))
      cursor = page.nextCursor
    }
    expect(seen).toEqual([4, 3, 2, 1])
  })

  test('one delivery is sent again, before what follows it and with the same id', async () => {
    const { id } = await add()
    const fan = await newFan(world)
    for (let n = 0; n < 2; n++) await happen(world, fan)
    await deliver()
    await owner().post(`/api/webhooks/endpoints/${id}/disable`, { reason })
    await happen(world, fan)
    await distributeAll(world)
    const resend = (sequence: number | string) =>
      owner().post(`/api/webhooks/endpoints/${id}/deliveries/${fan}/${sequence}/resend`, { reason })
    expect((await resend(1)).body).toEqual({ changed: true })
    expect((await resend(99)).body.code).toBe('webhook_delivery_not_found')
    expect(await endpointOf(id)).toMatchObject({ pending: 2 })
    await owner().post(`/api/webhooks/endpoints/${id}/enable`, { reason })
    await deliver()
    expect(receiver.order()).toEqual([1, 2, 1, 3].map(sequence => `${fan} ${sequence}`))
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(ids[2]).toBe(ids[0])
  })

  test('a replay is counted first, runs as a job, and sends each fan’s in order', async () => {
    const { id } = await add()
    const fan = await newFan(world)
    const since = world.clock.now().toISOString()
    for (let n = 0; n < 3; n++) await happen(world, fan)
    await deliver()
    const path = `/api/webhooks/endpoints/${id}/replay`
    expect((await owner().get(`${path}?since=${since}`)).body).toEqual({ deliveries: 3 })
    const { status, body } = await owner().post(path, { since, reason })
    expect([status, body.kind, body.input]).toEqual([202, 'replay-webhooks', { endpointId: id, since }])
    await world.deps.jobs.settled()
    const { runs } = (await owner().get('/api/jobs')).body
    expect(runs[0]).toMatchObject({ id: body.id, state: 'done', counts: { replayed: 3 } })
    await deliver()
    expect(receiver.order()).toEqual([1, 2, 3, 1, 2, 3].map(sequence => `${fan} ${sequence}`))
  })

  test('a test sends the example of a type at once, and stores nothing', async () => {
    const { id } = await add(['quest.*'])
    receiver.behave(() => new Response('thanks', { status: 202 }))
    const path = `/api/webhooks/endpoints/${id}/test`
    const { body } = await owner().post(path, { type: 'reward.claimed' })
    expect(body).toMatchObject({ succeeded: true, status: 202, response: 'thanks' })
    expect(receiver.received[0]?.body.type).toBe('reward.claimed')
    expect((await owner().post(path, {})).body.succeeded).toBe(true)
    expect(receiver.received[1]?.body.type).toBe('webhook.test')
    expect((await owner().post(path, { type: 'quest.*' })).status).toBe(422)
    expect((await deliveries(`?endpointId=${id}`)).deliveries).toEqual([])
    expect(await auditText()).toContain('testWebhookEndpoint')
  })

  test('a removed endpoint is not found', async () => {
    const { id } = await add()
    expect((await owner().post(`/api/webhooks/endpoints/${id}/remove`, { reason })).status).toBe(200)
    expect(await endpointOf(id)).toBeUndefined()
    for (const action of ['rotate', 'disable', 'enable', 'remove'])
      expect((await owner().post(`/api/webhooks/endpoints/${id}/${action}`, { reason })).body.code).toBe(
        'webhook_endpoint_not_found',
      )
    const resend = await owner().post(`/api/webhooks/endpoints/${id}/deliveries/fan/1/resend`, { reason })
    expect(resend.body.code).toBe('webhook_delivery_not_found')
  })
})
