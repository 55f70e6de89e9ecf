/** Durations are measured in milliseconds and exposed in seconds. */
import { expect, test } from 'bun:test'
import { defineMetrics } from '../../../src/operate/metrics/definitions.ts'
import { observeDatabase, observeProvider, observeRequests } from '../../../src/operate/metrics/observe.ts'

test.each<[string, (metrics: ReturnType<typeof defineMetrics>) => void]>([
  [
    'matchday_http_request_duration_seconds_sum{operation="listTeams"}',
    metrics => observeRequests(metrics)('listTeams', 200, 1_500),
  ],
  [
    'matchday_identity_provider_request_duration_seconds_sum{endpoint="userinfo"}',
    metrics => observeProvider(metrics)({ endpoint: 'userinfo', result: 'ok', ms: 1_500 }),
  ],
  ['matchday_database_write_duration_seconds_sum', metrics => observeDatabase(metrics).writeEnded?.(1_500)],
  ['matchday_database_fsync_duration_seconds_sum', metrics => observeDatabase(metrics).flushed?.(1_500)],
])('1,500 ms are 1.5 in %s', async (series, observe) => {
  const metrics = defineMetrics()
  observe(metrics)
  expect((await metrics.registry.metrics()).split('\n')).toContain(`${series} 1.5`)
})
