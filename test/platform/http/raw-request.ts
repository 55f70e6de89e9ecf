/** A request written byte by byte, for what no client would send. */
import { nextTurn } from '../../support/wait-until.ts'

/** The whole answer as text, read until the server closes the connection. */
export async function rawRequest(port: number, ...parts: (string | Uint8Array)[]): Promise<string> {
  const chunks: Uint8Array[] = []
  const closed = Promise.withResolvers<void>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_, chunk) => void chunks.push(Uint8Array.from(chunk)),
      close: () => closed.resolve(),
      error: (_, error) => closed.reject(error),
    },
  })
  for (const part of parts) {
    let rest = typeof part === 'string' ? Buffer.from(part) : part
    while (rest.length > 0) {
      const written = socket.write(rest)
      // The server may have answered and gone before it was told everything.
      if (written < 0) break
      rest = rest.subarray(written)
      if (rest.length > 0) await nextTurn()
    }
  }
  await closed.promise
  return Buffer.concat(chunks).toString()
}

/** The lines of a request without a body; the server closes the connection after it. */
export const requestLines = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`

/** A request whose end is never sent. Until it is closed, its connection stays open. */
export interface OpenRequest {
  /** What the server has answered so far. */
  answer(): string
  close(): void
}

export async function openRequest(port: number, ...parts: string[]): Promise<OpenRequest> {
  const chunks: Uint8Array[] = []
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: { data: (_, chunk) => void chunks.push(Uint8Array.from(chunk)) },
  })
  socket.write(parts.join(''))
  return { answer: () => Buffer.concat(chunks).toString(), close: () => socket.end() }
}
