/** Streams of real processes: what one process commits reaches the streams of another, and processes stop in time. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { desc } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import { parseConfig } from '../../../src/platform/config/config.ts'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { createFactories, type Factories } from '../../support/factories.ts'
import {
  type RunningApi,
  type RunningProvider,
  secrets,
  startApi,
  startProvider,
} from '../../support/processes.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { bearer, closeStreams, openStream } from './stream-world.ts'

for (const engine of engines) {
  describe(`Streams of processes (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let factories: Factories
    let apis: RunningApi[]
    let token: string
    let fans = 0

    const start = () => startApi({ DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer })

    beforeAll(async () => {
      provider = await startProvider({ fans: 20 })
      temporary = await engine.open(createClock())
      const url = { IDP_ISSUER: provider.issuer, DATABASE_URL: temporary.url ?? '' }
      factories = createFactories(temporary.db, parseConfig({ ...secrets, ...url }))
      apis = await Promise.all([start(), start()])
    })
    afterAll(async () => {
      await Promise.all(apis.map(api => api.stop('SIGKILL')))
      await provider.stop()
      await temporary.remove()
    })
    beforeEach(async () => {
      token = await provider.idp.issueToken(`fan-${String(++fans).padStart(4, '0')}`)
    })
    afterEach(closeStreams)

    const origins = () => apis.map(({ origin }) => origin)
    const post = (origin: string | undefined, path: string, body: object = {}) =>
      fetch(`${origin}${path}`, {
        method: 'POST',
        headers: { ...bearer(token), 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })

    test('events of a fan arrive from both processes in order, once each', async () => {
      const [here, there] = origins()
      const stream = await openStream(here, 'topics=me', bearer(token))
      await stream.nth(1)
      const rewards = await Promise.all(
        Array.from({ length: 12 }, () => factories.reward({ pointsRequired: 0, startsAt: null })),
      )
      await Promise.all(
        rewards.map((rewardId, n) => post(n % 3 === 0 ? here : there, '/api/rewards/claim', { rewardId })),
      )
      await stream.nth(13)
      expect(stream.received.map(({ id }) => Number(id))).toEqual(Array.from({ length: 13 }, (_, n) => n))
      expect(
        stream
          .named('reward.claimed')
          .map(({ data }) => data.data.rewardId)
          .toSorted(),
      ).toEqual(rewards.toSorted())
    })

    test('a logout in one process ends the streams in the other', async () => {
      const [here, there] = origins()
      const stream = await openStream(here, 'topics=me,leaderboard', bearer(token))
      await stream.nth(2)
      expect((await post(there, '/api/auth/logout')).status).toBe(204)
      await stream.ended()
    })

    test('a change in one process reaches the public topics of the other', async () => {
      const [here, there] = origins()
      const stream = await openStream(here, 'topics=leaderboard', bearer(token))
      const { data } = await stream.nth(2)
      await post(there, '/api/user/onboarding')
      expect((await stream.nth(3)).data.etag).not.toBe(data.etag)
    })

    test('a ticket of one process opens a stream in the other, and one stream in both', async () => {
      const { ticket } = (await (await post(origins()[0], '/api/stream/tickets')).json()) as {
        ticket: string
      }
      const query = `topics=me&ticket=${ticket}`
      const streams = await Promise.all(
        Array.from({ length: 8 }, (_, n) => openStream(origins()[n % 2], query)),
      )
      expect(streams.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(401)])
    })

    test('a process with open streams stops, also if a reader takes nothing of much that waits', async () => {
      const api = await start()
      apis.push(api)
      await post(api.origin, '/api/user/onboarding')
      const stream = await openStream(api.origin, 'topics=me', bearer(token))
      await stream.nth(1)
      const { db } = temporary
      const { events } = db.tables
      const [newest] = await db.read
        .select()
        .from(events)
        .orderBy(desc(events.recordedAt), desc(events.sequence))
        .limit(1)
      const data = JSON.stringify({ note: 'x'.repeat(16_384) })
      const rows = Array.from({ length: 1_000 }, (_, n) => ({
        ...{ source: 'crm', userId: newest?.userId ?? '', type: 'crm.noted', data },
        ...{
          occurredAt: db.read.now(),
          recordedAt: new Date(),
          sequence: (newest?.sequence ?? 0) + n + 1,
          eventId: `${token} ${n}`,
        },
      }))
      await db.write(tx => insertRows(tx, events, rows))
      const idle = connect(Number(new URL(api.origin).port), '127.0.0.1')
      idle.on('error', () => {}).pause()
      const head = ['GET /api/stream?topics=me HTTP/1.1', 'Host: localhost', 'Last-Event-ID: 0']
      idle.write(`${[...head, `Authorization: Bearer ${token}`].join('\r\n')}\r\n\r\n`)
      await waitUntil(
        'both streams are open',
        () => api.output.filter(line => line.includes('/api/stream')).length === 2,
      )
      await stream.nth(1_001)
      expect(await api.stop()).toBe(0)
      await stream.ended()
      idle.destroy()
    })
  })
}
