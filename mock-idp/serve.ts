import type { MockIdp } from './app.ts'

export interface Listening {
  port: number
  /** Stops listening and closes open connections. */
  stop(): Promise<void>
}

/**
 * Serves a provider, by default on loopback only: 127.0.0.1, and ::1 where it exists, since `localhost` may resolve to
 * either.
 * @param port 0 picks a free port
 * @param host another address, for phones on the same network
 * @throws Error with `code: 'EADDRINUSE'` when the port is taken on either address
 */
export async function serve(
  { app }: Pick<MockIdp, 'app'>,
  port: number,
  host = '127.0.0.1',
): Promise<Listening> {
  const listen = (hostname: string, chosen: number) => {
    return Bun.serve({
      hostname,
      port: chosen,
      idleTimeout: 0, // A `hang` fault lasts until the client gives up.
      development: false,
      reusePort: false, // Bun enables it outside development; a port in use would then raise no error.
      fetch: request => app.fetch(request),
      error: () => new Response(null, { status: 500 }),
    })
  }
  const first = listen(host, port)
  const servers = [first]
  try {
    if (host === '127.0.0.1') servers.push(listen('::1', first.port ?? port))
  } catch (error) {
    if ((error as { code?: string }).code === 'EADDRINUSE') {
      await first.stop(true)
      throw error
    }
  }
  return {
    port: first.port ?? port,
    stop: async () => {
      await Promise.all(servers.map(server => server.stop(true)))
    },
  }
}
