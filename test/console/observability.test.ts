/** Metrics, traces and log entries of requests of the console: operations and routes, without personal data. */
import { afterAll, expect, test } from 'bun:test'
import { namedFan } from '../identity/relations/relations-world.ts'
import { scrape } from '../operate/metrics/scrape.ts'
import { startCollector } from '../platform/tracing/collector.ts'
import { nextTurn } from '../support/wait-until.ts'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

const collector = startCollector()
afterAll(() => collector.stop())

const CLIENT_SPAN = '00f067aa0ba902b7'

onEachEngine(
  'Requests of the console',
  world => {
    const { as, anonymous, signIn, client } = consoleOf(world)
    /** The console with a trace of its own. */
    async function traced(path: string) {
      const traceId = crypto.randomUUID().replaceAll('-', '')
      const { headers } = await signIn('support')
      const answer = await client({ ...headers, traceparent: `00-${traceId}-${CLIENT_SPAN}-01` }).get(path)
      return { answer, spans: await collector.traceOf(traceId, 1) }
    }

    test('are counted and timed by operation and status code, apart from those of the API', async () => {
      const fan = await namedFan(world)
      const before = await scrape(world)
      await as('support').get(`/api/fans/${fan.id}`)
      await as('editor').get(`/api/fans/${fan.id}`)
      await anonymous.get('/api/session')
      await anonymous.get('/api/none-of-this-name')
      const after = await scrape(world)
      const series = (operation: string, code: number) =>
        `matchday_console_http_requests_total{operation="${operation}",code="${code}"}`
      const grown = [
        series('readFan', 200),
        series('readFan', 403),
        series('readSession', 401),
        series('none', 404),
        'matchday_console_http_request_duration_seconds_count{operation="readFan"}',
      ].map(name => after.value(name) - before.value(name))
      expect(grown).toEqual([1, 1, 1, 1, 2])
      expect(after.text).not.toMatch(/matchday_http_requests_total\{operation="readSession"/)
      for (const secret of [fan.id, fan.handle, 'none-of-this-name']) expect(after.text).not.toContain(secret)
    })

    test('have a span with the route, which tells them from those of the API', async () => {
      const fan = await namedFan(world)
      const { answer, spans } = await traced(`/api/fans?text=${fan.handle}`)
      expect(answer.body.fans).toHaveLength(1)
      const span = spans.find(({ parentSpanId }) => parentSpanId === CLIENT_SPAN)
      expect(span).toMatchObject({ name: 'console searchFans', kind: 'server', failed: false })
      expect(span?.attributes).toEqual({
        'http.request.method': 'GET',
        'http.route': '/api/fans',
        'http.response.status_code': 200,
        'url.path': '/api/fans',
        'url.scheme': 'http',
      })
      expect(JSON.stringify(collector.exports)).not.toContain(fan.handle)
    })

    test('are logged by their routes, without ids, queries and what was found', async () => {
      const fan = await namedFan(world)
      await as('support').get('/api/session')
      world.logged.length = 0
      await as('support').get(`/api/fans/${fan.id}`)
      await as('support').get(`/api/fans?text=${fan.handle}`)
      await as('moderator').get(`/api/moderation/fans/${fan.handle}`)
      await as('support').get('/api/desk/codes/7Q2M-X9KD-4T0B-HW5E')
      await as('support').post(`/api/fans/${fan.id}/names`, {
        displayName: 'Ada Lovelace',
        reason: 'Asked for.',
      })
      await anonymous.get(`/fans/${fan.id}?from=${fan.handle}`)
      await nextTurn()
      const lines = world.logged.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'request')
      expect(lines.map(({ path }) => path)).toEqual([
        '/api/fans/:fanId',
        '/api/fans',
        '/api/moderation/fans/:fan',
        '/api/desk/codes/:code',
        '/api/fans/:fanId/names',
        '/*',
      ])
      expect(world.logged.join('\n')).not.toMatch(
        new RegExp(`${fan.id}|${fan.handle}|7Q2M|Lovelace|Asked for|text=`),
      )
    })
  },
  { env: { METRICS_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '5' } },
)
