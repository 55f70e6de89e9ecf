/** Traces of a process that serves, from its sockets to its last export. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createClock } from '../../support/clock.ts'
import { sqliteEngine, type TemporaryDatabase } from '../../support/engines.ts'
import { startApi } from '../../support/processes.ts'
import { startCollector } from './collector.ts'

const collector = startCollector()
let temporary: TemporaryDatabase
beforeAll(async () => {
  temporary = await sqliteEngine.open(createClock())
})
afterAll(async () => {
  await temporary.remove()
  await collector.stop()
})

test('concurrent requests have their own traces, in spans and log lines, and shutdown sends them', async () => {
  const api = await startApi({
    DATABASE_URL: temporary.url ?? '',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    OTEL_PROPAGATORS: 'b3',
  })
  const traces = Array.from({ length: 40 }, () => crypto.randomUUID().replaceAll('-', ''))
  await Promise.all(
    traces.map(async (traceId, n) => {
      const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, 'x-request-id': `request-${n}` }
      await fetch(`${api.origin}${n % 2 ? '/api/packs/none' : '/api/leaderboard'}`, { headers })
    }),
  )
  expect(collector.exports).toEqual([])
  expect(await api.stop()).toBe(0)

  const named = new Map(collector.spans.map(({ traceId, name }) => [traceId, name]))
  expect(traces.map(traceId => named.get(traceId))).toEqual(
    traces.map((_, n) => (n % 2 ? 'readPack' : 'readLeaderboard')),
  )
  const lines = api.output.map(line => JSON.parse(line))
  const logged = new Map(lines.map(line => [line.requestId, line.trace_id]))
  expect(traces.map((_, n) => logged.get(`request-${n}`))).toEqual(traces)
  expect(lines.find(({ variables }) => variables)).toMatchObject({
    variables: ['OTEL_PROPAGATORS'],
    msg: 'traces: OpenTelemetry variables without an effect',
  })
})
