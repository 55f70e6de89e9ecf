/** Spans of requests that arrive and of requests to other systems (OpenTelemetry's semantic conventions for HTTP 1.23 and later). */
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import type { Tracer } from '../../core/tracer.ts'
import { endWith, type Spans } from './spans.ts'

const propagator = new W3CTraceContextPropagator()
const onHeaders = {
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
  set: (headers: Headers, name: string, value: string) => headers.set(name, value),
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The span ends with the headers of the response: a stream continues. */
export function traceRequests(spans: Spans): Pick<Tracer, 'handle' | 'describeRequest'> {
  return {
    handle: handle => request => {
      // A missing or invalid header begins a trace (W3C Trace Context §4.3).
      const remote = propagator.extract(ROOT_CONTEXT, request.headers, onHeaders)
      const known = METHODS.has(request.method)
      const attributes = {
        'http.request.method': known ? request.method : '_OTHER',
        'url.scheme': request.url.startsWith('https:') ? 'https' : 'http',
      }
      const name = known ? request.method : 'HTTP'
      const { span, context } = spans.start({ name, kind: SpanKind.SERVER, attributes }, remote)
      return endWith(span, () =>
        spans.within(context, async () => noteStatus(span, await handle(request), 500)),
      )
    },
    describeRequest(operation, route) {
      const context = spans.current()
      const span = context && trace.getSpan(context)
      if (!span) return
      if (operation !== undefined) span.updateName(operation)
      // The path itself may contain ids and codes.
      if (route) span.setAttributes({ 'http.route': route, 'url.path': route })
    },
  }
}

/** `traceparent` is sent for traces that are not sampled, too. */
export function traceFetch(
  spans: Spans,
  target: string,
  fetch: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  return request => {
    const { hostname, port, protocol } = new URL(request.url)
    const attributes = {
      'http.request.method': request.method,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    }
    const name = `${request.method} ${target}`
    const { span, context } = spans.start({ name, kind: SpanKind.CLIENT, attributes }, spans.current())
    propagator.inject(context, request.headers, onHeaders)
    return endWith(span, () => spans.within(context, async () => noteStatus(span, await fetch(request), 400)))
  }
}

/** `failure`: the lowest status that is an error of the span. */
function noteStatus(span: Span, response: Response, failure: number): Response {
  const { status } = response
  span.setAttribute('http.response.status_code', status)
  if (status >= failure) {
    span.setAttribute('error.type', String(status))
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  return response
}
