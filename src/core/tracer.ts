/**
 * What is traced. Without traces there is no tracer, and nothing is wrapped: they cost nothing. `src/platform/tracing/` is the
 * implementation, the only code that knows OpenTelemetry.
 */
import type { Database } from '../../db/index.ts'

type Fetch = (request: Request) => Promise<Response>
export type RequestHandler = (request: Request) => Response | Promise<Response>

export interface Tracer {
  /** Handles requests in a span that continues the trace of `traceparent` (W3C Trace Context), or begins one. */
  handle(handle: RequestHandler): RequestHandler
  /** Names the span of the current request. Both are undefined where no operation or no route was reached. */
  describeRequest(operation: string | undefined, route: string | undefined): void
  /** Verifies in a span. */
  verifier<T extends { verify(token: string): Promise<unknown> }>(name: string, tokens: T): T
  /** Traces units of work that belong to a request: their wait, their work and their commit. */
  database(db: Database): Database
  /** Sends requests in a span, with `traceparent`. `target`: what the other system is. */
  fetch(target: string, fetch: Fetch): Fetch
}
