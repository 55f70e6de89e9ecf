/** Serves a reference on port `PORT` of the loopback interface, as the bench starts it. */
export function serve(handle: (request: Request) => Response | Promise<Response>): void {
  Bun.serve({
    hostname: '127.0.0.1',
    port: Number(process.env.PORT),
    development: false,
    fetch: handle,
  })
}

/** The bearer token of a request. The references use it as the fan's subject and verify nothing. */
export const bearerToken = (request: Request) => request.headers.get('authorization')?.slice('Bearer '.length)
