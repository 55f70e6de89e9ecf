/** Prometheus metrics. Loaded only when METRICS_PORT is set: without it nothing is measured. */
import type { Logger } from 'pino'
import type { DatabaseObserver } from '../../db/index.ts'
import product from '../../package.json'
import { loggable } from '../core/loggable.ts'
import type { ProviderObserver } from '../identity-provider/provider.ts'
import { defineMetrics } from './definitions.ts'
import { observeCommits, observeDatabase, observeProvider, observeRequests } from './observe.ts'
import { observeLoop, readProcess } from './process.ts'
import { createReading, type MetricsDeps } from './read.ts'
import { type MetricsServer, serveMetrics } from './server.ts'

export interface MetricsRecorder {
  /** For `openDatabase`. */
  database: DatabaseObserver
  /** For `createDeps`. */
  observers: { request: ReturnType<typeof observeRequests>; providerCall: ProviderObserver }
  /** Starts the endpoint. @throws Error when the port is taken */
  serve(deps: MetricsDeps & { log: Logger }, address: { host: string; port: number }): MetricsServer
}

export function createMetrics(): MetricsRecorder {
  const metrics = defineMetrics()
  const { registry } = metrics
  return {
    database: observeDatabase(metrics),
    observers: { request: observeRequests(metrics), providerCall: observeProvider(metrics) },
    serve(deps, address) {
      metrics.build.set({ version: product.version, bun: Bun.version, database: deps.db.engine }, 1)
      const read = createReading(metrics, deps)
      const server = serveMetrics({
        ...address,
        contentType: registry.contentType,
        async render() {
          readProcess(metrics)
          await read()
          return registry.metrics()
        },
        onError: error => deps.log.error({ task: 'read metrics', error: loggable(error) }, 'scrape failed'),
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
