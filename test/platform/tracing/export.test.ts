/** Exports to the collector, and their independence from requests. */
import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { generate } from 'selfsigned'
import { parseConfig } from '../../../src/platform/config/config.ts'
import { makeDevelopmentSecrets } from '../../../src/platform/config/development-secrets.ts'
import { createTracing, type Tracing } from '../../../src/platform/tracing/tracing.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { freePort } from '../../support/processes.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'
import { startCollector } from './collector.ts'

const secrets = await makeDevelopmentSecrets()
const collector = startCollector()
afterAll(() => collector.stop())
beforeEach(() => {
  collector.spans.length = 0
  collector.exports.length = 0
})
afterEach(() => collector.behave(200))

/** Nothing is sent before `stop`, unless a test says otherwise. */
const LATE = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '600000' }

interface Traced extends Tracing {
  logged: string[]
  /** Handles a request with this `traceparent`. */
  request(traceparent?: string): Promise<Response>
}

function traced(env: Record<string, string>, flushMs = 60_000): Traced {
  const { tracing: config } = parseConfig({ ...secrets, ...LATE, ...env })
  if (!config) throw new Error('traces are off')
  const logged: string[] = []
  const log = pino({ base: null }, { write: (line: string) => void logged.push(line) })
  const tracing = createTracing(config, log, flushMs)
  const handle = tracing.tracer.handle(() => new Response('done'))
  return {
    ...tracing,
    logged,
    request: async traceparent =>
      handle(new Request('http://localhost/', { headers: traceparent ? { traceparent } : {} })),
  }
}

const SAMPLED = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const UNSAMPLED = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00'

test.each([
  ['parentbased_always_on', '', [true, true, false]],
  ['parentbased_always_off', '', [false, true, false]],
  ['parentbased_traceidratio', '0', [false, true, false]],
  ['parentbased_traceidratio', '1', [true, true, false]],
  ['always_on', '', [true, true, true]],
  ['always_off', '', [false, false, false]],
  ['traceidratio', '0', [false, false, false]],
  ['traceidratio', '1.0', [true, true, true]],
])('OTEL_TRACES_SAMPLER=%s with the argument "%s" decides', async (sampler, argument, sent) => {
  const decided: boolean[] = []
  for (const parent of [undefined, SAMPLED, UNSAMPLED]) {
    const tracing = traced({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: argument })
    await tracing.request(parent)
    const before = collector.spans.length
    await tracing.stop()
    decided.push(collector.spans.length > before)
  }
  expect(decided).toEqual(sent)
})

test('an export has the headers, the compression and the resource of the settings', async () => {
  const tracing = traced({
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20c2VjcmV0,x-tenant=all',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-tenant=club',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_SERVICE_NAME: 'fan-api',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=live%20site',
  })
  await tracing.request()
  await tracing.stop()
  expect(collector.exports).toMatchObject([
    {
      path: '/v1/traces',
      headers: {
        authorization: 'Basic c2VjcmV0',
        'x-tenant': 'club',
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
    },
  ])
  expect(collector.spans[0]?.resource).toMatchObject({
    'service.name': 'fan-api',
    'deployment.environment.name': 'live site',
  })
})

test('an https endpoint is verified, with the certificates of OTEL_EXPORTER_OTLP_CERTIFICATE', async () => {
  const subject = [{ name: 'commonName', value: 'localhost' }]
  const names = { name: 'subjectAltName' as const, altNames: [{ type: 2 as const, value: 'localhost' }] }
  const { private: key, cert } = await generate(subject, { extensions: [names] })
  const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
  const ca = join(folder, 'ca.pem')
  writeFileSync(ca, cert)
  const secured = startCollector({ key, cert })
  const received: number[] = []
  for (const trusted of ['', ca]) {
    const tracing = traced({
      OTEL_EXPORTER_OTLP_CERTIFICATE: trusted,
      OTEL_EXPORTER_OTLP_ENDPOINT: secured.url,
    })
    await tracing.request()
    await tracing.stop()
    received.push(secured.spans.length)
  }
  expect(received).toEqual([0, 1])
  await secured.stop()
  rmSync(folder, { recursive: true })
})

test('a process that stops sends its last spans', async () => {
  const tracing = traced({})
  await Promise.all(Array.from({ length: 20 }, () => tracing.request()))
  expect(collector.exports).toEqual([])
  await tracing.stop()
  expect(collector.spans).toHaveLength(20)
})

test('a process that stops does not wait for a collector that hangs', async () => {
  collector.behave('hang')
  const tracing = traced({ OTEL_EXPORTER_OTLP_TIMEOUT: '600000' }, 20)
  await tracing.request()
  await tracing.stop()
  // It may still be on its way.
  await waitUntil('the export arrives', () => collector.exports.length === 1)
  expect(collector.spans).toEqual([])
})

test.each([
  ['refuses', () => collector.url, 400],
  ['is not there', () => `http://127.0.0.1:${freePort()}`, 200],
])('a collector that %s is logged once, without the configured headers', async (_, urlOf, status) => {
  collector.behave(status)
  const tracing = traced({
    OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(),
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=tell-tale',
    OTEL_EXPORTER_OTLP_TIMEOUT: '50',
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
  })
  for (let n = 0; n < 5; n++) await tracing.request()
  await waitUntil('the failure is logged', () => tracing.logged.length > 0)
  await tracing.stop()
  expect(tracing.logged.map(line => JSON.parse(line).msg)).toEqual([
    'traces: the collector did not take spans',
  ])
  expect(tracing.logged.join('')).not.toContain('tell-tale')
})

onEngine(
  sqliteEngine,
  'Requests during an outage of the collector',
  world => {
    test.each(['hang', 503, 400] as const)('are served: %s', async outage => {
      collector.behave(outage)
      // Spans of the previous test may have arrived since.
      collector.spans.length = 0
      const fan = await world.fan()
      // More than the queue of spans holds.
      for (let n = 0; n < 8; n++) expect((await fan.post('/api/user/profile', {})).status).toBeLessThan(300)
      await waitUntil('an export has failed or hangs', () => collector.exports.length > 0)
      const answers = await Promise.all(Array.from({ length: 20 }, () => fan.get('/api/rewards')))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      expect(collector.spans).toEqual([])
    })
  },
  {
    env: {
      ...LATE,
      OTEL_BSP_SCHEDULE_DELAY: '1',
      OTEL_BSP_MAX_QUEUE_SIZE: '8',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4',
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    },
  },
)
