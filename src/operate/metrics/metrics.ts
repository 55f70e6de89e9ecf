/** Prometheus metrics. Loaded only when METRICS_PORT is set: without it nothing is measured. */
import type { Logger } from 'pino'
import product from '../../../package.json'
import { readCommit } from '../../core/commit.ts'
import { defineMetrics } from './definitions.ts'
import { observeCommits, observeDatabase, observeProvider, observeRequests } from './observe.ts'
import { observeLoop, readProcess } from './process.ts'
import { createReading, type MetricsDeps } from './read.ts'
import { serveMetrics } from './server.ts'

export type MetricsRecorder = ReturnType<typeof createMetrics>

export function createMetrics() {
  const metrics = defineMetrics()
  const { registry } = metrics
  return {
    /** For `openDatabase`. */
    database: observeDatabase(metrics),
    /** For `createDeps`. */
    observers: {
      request: observeRequests(metrics),
      consoleRequest: observeRequests({
        requests: metrics.consoleRequests,
        requestDuration: metrics.consoleRequestDuration,
      }),
      providerCall: observeProvider(metrics),
    },
    /** Starts the endpoint. @throws Error when the port is taken */
    serve(deps: MetricsDeps & { log: Logger }, address: { host: string; port: number }) {
      const { version } = product
      metrics.build.set({ version, commit: readCommit(), bun: Bun.version, database: deps.db.engine }, 1)
      const read = createReading(metrics, deps)
      const server = serveMetrics({
        ...address,
        contentType: registry.contentType,
        async render() {
          readProcess(metrics)
          await read()
          return registry.metrics()
        },
        onError: error => deps.log.error({ task: 'read metrics', error }, 'scrape failed'),
      })
      const endings = [observeLoop(metrics), observeCommits(metrics, deps.db)]
      return {
        url: server.url,
        stop() {
          for (const end of endings) end()
          return server.stop()
        },
      }
    },
  }
}
