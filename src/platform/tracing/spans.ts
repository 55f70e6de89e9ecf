/**
 * Spans, and the current one of each request. Names and attributes follow OpenTelemetry's semantic conventions, except that
 * no URL, address or header is recorded: they may identify a fan or hold a secret. Errors are recorded by type only.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  type Context,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { errorCode } from '../../core/error-code.ts'
import { DomainError } from '../../core/problems.ts'

interface SpanStart {
  name: string
  kind: SpanKind
  attributes?: Attributes
}

export type Spans = ReturnType<typeof createSpans>

export function createSpans(tracer: OtelTracer) {
  const storage = new AsyncLocalStorage<Context>()
  return {
    /** The span of the current request or call; undefined outside of one. */
    current: () => storage.getStore(),
    /** Starts a span within `parent`, or a trace if there is none. The caller ends it. */
    start({ name, kind, attributes = {} }: SpanStart, parent: Context = ROOT_CONTEXT) {
      const span = tracer.startSpan(name, { kind, attributes }, parent)
      return { span, context: trace.setSpan(parent, span) }
    },
    /** Runs `work` with this as the current context, or without one. */
    within: <T>(context: Context | undefined, work: () => T): T =>
      context ? storage.run(context, work) : storage.exit(work),
  }
}

/** Whether spans of this trace are sent. */
export const isSampled = (context: Context): boolean =>
  ((trace.getSpanContext(context)?.traceFlags ?? 0) & TraceFlags.SAMPLED) !== 0

/** Runs `work`, and ends the span with its outcome. */
export async function endWith<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    noteError(span, error)
    throw error
  } finally {
    span.end()
  }
}

/**
 * A refusal is not a failure of the server: it gets a type but no error status. Messages are omitted, since
 * they may contain values.
 */
export function noteError(span: Span, error: unknown): void {
  const refusal: DomainError | undefined = error instanceof DomainError ? error : undefined
  const code = refusal?.code
  span.setAttribute('error.type', code ?? typeOf(error))
  if (!refusal || refusal.type.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
}

function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const code = errorCode(error)
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : error.name
}
