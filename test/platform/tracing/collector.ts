/** A receiver of OTLP/HTTP with JSON on the loopback, as an OpenTelemetry collector is one (OTLP specification 1.x). */
import { waitUntil } from '../../support/wait-until.ts'

export interface Span {
  traceId: string
  spanId: string
  /** Undefined for the root of a trace. */
  parentSpanId: string | undefined
  name: string
  kind: 'internal' | 'server' | 'client'
  attributes: Record<string, unknown>
  failed: boolean
  /** The service that sent it. */
  resource: Record<string, unknown>
}

export interface Collector {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string
  spans: Span[]
  /** Each export: its headers, and its body as it was sent. */
  exports: { path: string; headers: Record<string, string>; text: string }[]
  /** The spans of a trace, once they are `count`. */
  traceOf(traceId: string, count: number): Promise<Span[]>
  /** Sets the response to further exports: this status, or none. Default: 200. */
  behave(behaviour: number | 'hang'): void
  stop(): Promise<void>
}

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number; boolValue?: boolean }
}

interface Exported {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: {
      spans: (Pick<Span, 'traceId' | 'spanId' | 'parentSpanId' | 'name'> & {
        kind: number
        attributes: Attribute[]
        status: { code: number }
      })[]
    }[]
  }[]
}

const KINDS = ['internal', 'internal', 'server', 'client'] as const

const recordOf = (attributes: Attribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]),
  )

const spansOf = ({ resourceSpans }: Exported): Span[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ kind, attributes, status, ...span }) => ({
        ...span,
        kind: KINDS[kind] ?? 'internal',
        attributes: recordOf(attributes),
        failed: status.code === 2,
        resource: recordOf(resource.attributes),
      })),
    ),
  )

export function startCollector(tls?: { key: string; cert: string }): Collector {
  const spans: Span[] = []
  const exports: Collector['exports'] = []
  let behaviour: number | 'hang' = 200
  let released = Promise.withResolvers<void>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    ...(tls && { tls }),
    async fetch(request) {
      const bytes = await request.arrayBuffer()
      const text = new TextDecoder().decode(
        request.headers.get('content-encoding') === 'gzip' ? Bun.gunzipSync(bytes) : bytes,
      )
      exports.push({
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.headers),
        text,
      })
      // As it was when the export arrived.
      const status = behaviour
      if (status === 'hang') {
        await released.promise
        return new Response(null, { status: 500 })
      }
      if (status !== 200) return new Response('the collector refuses', { status })
      spans.push(...spansOf(JSON.parse(text)))
      return Response.json({})
    },
  })
  return {
    url: `${tls ? 'https' : 'http'}://localhost:${server.port}`,
    spans,
    exports,
    traceOf: (traceId, count) =>
      waitUntil(`${count} spans of the trace have arrived`, () => {
        const found = spans.filter(span => span.traceId === traceId)
        return found.length >= count && found
      }),
    behave(next) {
      behaviour = next
      released.resolve()
      released = Promise.withResolvers()
    },
    async stop() {
      released.resolve()
      await server.stop(true)
    },
  }
}
