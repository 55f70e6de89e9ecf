/** The port of the API, open before the application is composed: requests that come meanwhile wait, and are not refused. */
import type { Server } from 'bun'
import { realSources } from '../core/sources.ts'
import type { Config } from '../platform/config/config.ts'
import { listenOptions } from '../platform/http/edge/listen-options.ts'
import { pathOf } from '../platform/http/edge/query.ts'
import { securityHeaders } from '../platform/http/edge/security-headers.ts'

type Handle = (request: Request) => Response | Promise<Response>

/** A probe of a load balancer. What else it could ask for with these headers, the application answers. */
const isBareProbe = ({ method, url, headers }: Request) =>
  method === 'GET' && pathOf(url) === '/healthz' && !headers.has('x-request-id') && !headers.has('origin')

/** @throws Error `EADDRINUSE` */
export function openPort(config: Pick<Config, 'host' | 'port' | 'network'>, options: { shared: boolean }) {
  const composed = Promise.withResolvers<Handle>()
  const server: Server<undefined> = Bun.serve({
    ...listenOptions(config, options),
    async fetch(request) {
      if (!isBareProbe(request)) return (await composed.promise)(request)
      // All that is known is that the process is alive. `/readyz` waits.
      const headers = { ...securityHeaders(config.network), 'Cache-Control': 'no-store' }
      return Response.json(
        { status: 'ok' },
        { headers: { ...headers, 'X-Request-Id': realSources.newId(), 'Content-Type': 'application/json' } },
      )
    },
  })
  return {
    /** `handle` responds from now on, also to the requests that have waited. */
    serve(handle: Handle): Server<undefined> {
      server.reload({ fetch: handle })
      composed.resolve(handle)
      return server
    },
    port: server.port,
  }
}
