/** Traces by OpenTelemetry. Loaded only when an endpoint of OTLP is set: without it nothing is traced. */
import { trace } from '@opentelemetry/api'
import type { Logger } from 'pino'
import type { Tracer } from '../../core/tracer.ts'
import type { TracingConfig } from '../config/tracing.ts'
import { createProvider } from './export.ts'
import { traceFetch, traceRequests } from './http.ts'
import { createSpans } from './spans.ts'
import { traceDatabase, traceVerifier } from './work.ts'

/** How long a process that stops waits for its last spans to be sent. Milliseconds. */
const FLUSH_MS = 2_000

export type Tracing = ReturnType<typeof createTracing>

export function createTracing(config: TracingConfig, log: Logger, flushMs = FLUSH_MS) {
  const { unsupported: variables } = config
  if (variables.length > 0) log.warn({ variables }, 'traces: OpenTelemetry variables without an effect')
  const provider = createProvider(config, log)
  const spans = createSpans(provider.getTracer('matchday'))
  const tracer: Tracer = {
    ...traceRequests(spans),
    fetch: (target, fetch) => traceFetch(spans, target, fetch),
    verifier: (name, tokens) => traceVerifier(spans, name, tokens),
    database: db => traceDatabase(spans, db),
  }
  return {
    tracer,
    /** What a log line of a request has in addition, as OpenTelemetry names it: `trace_id` and `span_id`. */
    logMembers(): Record<string, string> {
      const context = spans.current()
      const current = context && trace.getSpanContext(context)
      return current ? { trace_id: current.traceId, span_id: current.spanId } : {}
    },
    /** Sends the last spans, within two seconds. Never rejects. */
    async stop(): Promise<void> {
      const flushed = provider.shutdown().catch(() => {})
      await Promise.race([flushed, Bun.sleep(flushMs)])
    },
  }
}
