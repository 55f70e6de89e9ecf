/** `GET /metrics` on a separate port, which is not the port of the API. */
import { errorCode } from '../../core/error-code.ts'

interface Endpoint {
  host: string
  /** 0 picks a free port. */
  port: number
  contentType: string
  render(): Promise<string>
  /** A scrape failed. */
  onError(error: unknown): void
}

/** @throws Error when the port is taken */
export function serveMetrics({ host, port, contentType, render, onError }: Endpoint) {
  async function respond({ method, url }: Request): Promise<Response> {
    if (new URL(url).pathname !== '/metrics')
      return new Response('The metrics are at /metrics.\n', { status: 404 })
    if (method !== 'GET' && method !== 'HEAD')
      return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } })
    try {
      const headers = { 'Content-Type': contentType, 'Cache-Control': 'no-store' }
      return new Response(await render(), { headers })
    } catch (error) {
      onError(error)
      return new Response('The metrics cannot be read; the log says why.\n', { status: 500 })
    }
  }

  const server = listen()
  return { url: `http://${host}:${server.port}/metrics`, stop: () => server.stop(true) }

  function listen() {
    try {
      return Bun.serve({ hostname: host, port, fetch: respond })
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE') throw error
      throw new Error(`port ${port} is taken; set METRICS_PORT to another`)
    }
  }
}
