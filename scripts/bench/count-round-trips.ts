/** Counts what requests send to PostgreSQL, by a proxy that reads the client's messages (protocol 3.0). */
import { createConnection, createServer, type Socket } from 'node:net'
import { inProcess } from './in-process.ts'
import type { Bench } from './scenario.ts'

export interface RoundTrips {
  /** Executed statements, BEGIN and COMMIT included. */
  statements: number
  /** Times that the client waits for the server: statements that are sent together wait once. */
  roundTrips: number
}

/** A request, given its number: each must be of another fan. */
type SendRequest = (handle: (request: Request) => Promise<Response>, nth: number) => Promise<Response>

const REQUESTS = 20

/** The average of several requests, one after another, in process. */
export async function countRoundTrips(
  bench: Bench,
  send: SendRequest,
  prepare?: (url: string) => Promise<void>,
): Promise<RoundTrips> {
  const { url, remove } = await bench.databases.copy('postgres', bench.options.fans)
  await prepare?.(url)
  const proxy = await startProxy(new URL(url))
  const app = await inProcess(bench, proxy.url)
  try {
    const request = async (nth: number) => {
      const { status } = await send(app.handle, nth)
      if (status >= 300) throw new Error(`a counted request responds with ${status}`)
    }
    // The first fan builds the prepared statements and fills the shared caches.
    await request(0)
    const before = { ...proxy.counts }
    for (let nth = 1; nth <= REQUESTS; nth++) await request(nth)
    const { statements, roundTrips } = proxy.counts
    return {
      statements: (statements - before.statements) / REQUESTS,
      roundTrips: (roundTrips - before.roundTrips) / REQUESTS,
    }
  } finally {
    await app.close()
    proxy.stop()
    await remove()
  }
}

async function startProxy(target: URL) {
  const counts: RoundTrips = { statements: 0, roundTrips: 0 }
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    const upstream = createConnection({ host: target.hostname, port: Number(target.port || 5432) })
    const { read, respond } = createReader(counts)
    client.on('data', read)
    upstream.on('data', respond)
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(address.port)
  return {
    url: url.href,
    counts,
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Requests for TLS or GSSAPI encryption: the server refuses them, and the start-up message follows. */
const ENCRYPTION_REQUESTS = [80_877_103, 80_877_104]

function createReader(counts: RoundTrips) {
  let rest: Buffer = Buffer.alloc(0)
  let started = false
  let waits = false
  function read(chunk: Buffer) {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      // Messages before the end of the start-up have no type.
      const typeLength = started ? 1 : 0
      if (rest.length < typeLength + 4) return
      const length = typeLength + rest.readInt32BE(typeLength)
      if (rest.length < length) return
      if (!started) started = !ENCRYPTION_REQUESTS.includes(rest.readInt32BE(4))
      else {
        const type = String.fromCharCode(rest[0] ?? 0)
        if (type === 'E' || type === 'Q') counts.statements++
        // Sync, and simple queries, end what the server responds to.
        if ((type === 'S' || type === 'Q') && !waits) {
          counts.roundTrips++
          waits = true
        }
      }
      rest = rest.subarray(length)
    }
  }
  const respond = () => {
    waits = false
  }
  return { read, respond }
}
