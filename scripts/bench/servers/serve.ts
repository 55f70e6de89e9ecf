/**
 * Serves a reference on port `PORT` of the loopback interface, as the bench starts it, by `WORKERS` processes. The first one
 * starts the others, which end with it.
 */
export function serve(handle: (request: Request) => Response | Promise<Response>): void {
  const { PORT, WORKERS = '1', SHARED } = process.env
  const others = Array.from({ length: Number(WORKERS) - 1 }, () =>
    Bun.spawn([process.execPath, Bun.main], {
      env: { ...process.env, WORKERS: '1', SHARED: 'yes' },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  )
  Bun.serve({
    hostname: '127.0.0.1',
    port: Number(PORT),
    development: false,
    reusePort: others.length > 0 || SHARED !== undefined,
    fetch: handle,
  })
  process.on('SIGTERM', () => {
    for (const other of others) other.kill()
    process.exit()
  })
}

/** The bearer token of a request. The references take it as the fan's subject and verify nothing. */
export const bearerToken = (request: Request) => request.headers.get('authorization')?.slice('Bearer '.length)
