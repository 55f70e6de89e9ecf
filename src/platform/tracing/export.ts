/** Sends spans to a collector by OTLP/HTTP with JSON, in batches, in the background. */
import { DiagLogLevel, diag } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import product from '../../../package.json'
import { loggable } from '../../core/loggable.ts'
import type { TracingConfig } from '../config/tracing.ts'

/** At most one line of each kind about lost spans in this time. Milliseconds. */
const REPORT_EVERY_MS = 60_000
/** A batch is given up after the exporter's own deadline. Milliseconds. */
const MARGIN_MS = 1_000

/** Until a collector answers, at most `queue.maxSpans` spans wait in memory; further ones are dropped. */
export function createProvider(config: TracingConfig, log: Logger): TracerProvider {
  // The SDK reports dropped spans only in this way. Its errors are reported with `loggable` below.
  const tell = limited((reason: string) => log.warn({ reason }, 'traces: spans are lost'))
  const ignore = () => {}
  diag.setLogger(
    { warn: tell, error: ignore, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const { url, headers, ca, compression, timeoutMs: timeoutMillis } = config
  // Guarantee of the cast: an enum of two strings, which the exporter compares as strings.
  const exporter = new OTLPTraceExporter({
    url,
    headers: { ...headers },
    timeoutMillis,
    compression: compression as never,
    httpAgentOptions: { keepAlive: true, ...(ca === null ? {} : { ca }) },
  })
  const processor = new BatchSpanProcessor({
    exporter: reportFailures(exporter, log),
    scheduledDelayMillis: config.queue.delayMs,
    exportTimeoutMillis: timeoutMillis + MARGIN_MS,
    maxQueueSize: config.queue.maxSpans,
    maxExportBatchSize: config.queue.batchSpans,
  })
  const resource = resourceFromAttributes({
    'service.version': product.version,
    'process.pid': process.pid,
    'process.runtime.name': 'bun',
    'process.runtime.version': Bun.version,
    ...config.attributes,
    'service.name': config.serviceName,
  })
  return new TracerProvider({
    resource: defaultResource().merge(resource),
    sampler: samplerOf(config),
    spanProcessors: [processor],
  })
}

function samplerOf({ sampler, ratio }: TracingConfig): Sampler {
  const root = sampler.endsWith('always_on')
    ? new AlwaysOnSampler()
    : sampler.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio)
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

/** Calls `write` at once, and from then on at most once in `REPORT_EVERY_MS`. */
function limited<T>(write: (value: T) => void): (value: T) => void {
  let writtenAt = Number.NEGATIVE_INFINITY
  return value => {
    const now = performance.now()
    if (now - writtenAt < REPORT_EVERY_MS) return
    writtenAt = now
    write(value)
  }
}

function reportFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let lost = 0
  const report = limited((error: unknown) => {
    const { type, message, code } = loggable(error)
    log.warn({ spans: lost, error: { type, message, code } }, 'traces: the collector did not take spans')
    lost = 0
  })
  return {
    export(spans, done) {
      exporter.export(spans, result => {
        // 0 is the success of OpenTelemetry's `ExportResultCode`.
        if (result.code !== 0) {
          lost += spans.length
          report(result.error)
        }
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  }
}
