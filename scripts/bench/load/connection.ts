/** A connection that sends one request after another and reads no more of HTTP/1.1 than our servers write. */

interface Reply {
  status: number
  body: string
  /** Seconds. */
  retryAfter?: number
}

export interface Connection {
  /** One at a time. Rejects when the connection breaks. */
  send(request: string): Promise<Reply>
  close(): void
}

export async function connect(origin: string): Promise<Connection> {
  const { hostname, port } = new URL(origin)
  let received = Buffer.alloc(0)
  let waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | undefined

  const broken = () => {
    waiting?.reject(new Error('the connection broke'))
    waiting = undefined
  }
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_socket, chunk) {
        received = received.length === 0 ? Buffer.from(chunk) : Buffer.concat([received, chunk])
        const reply = readReply(received)
        if (!reply) return
        received = Buffer.alloc(0)
        const { resolve } = waiting ?? {}
        waiting = undefined
        resolve?.(reply)
      },
      close: broken,
      error: broken,
    },
  })
  socket.setNoDelay(true)
  return {
    send: request =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(request)
      }),
    close: () => socket.end(),
  }
}

/** Undefined while it is not whole. @throws Error when its length is not told in advance */
function readReply(bytes: Buffer): Reply | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer without Content-Length: ${head}`)
  const from = end + 4
  if (bytes.length < from + Number(length)) return undefined
  const retryAfter = /\r\nretry-after: (\d+)/i.exec(head)?.[1]
  return {
    status: Number(head.slice(9, 12)),
    body: bytes.toString('utf8', from, from + Number(length)),
    ...(retryAfter === undefined ? {} : { retryAfter: Number(retryAfter) }),
  }
}
