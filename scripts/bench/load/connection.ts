/** A connection for sequential requests. It parses only the part of HTTP/1.1 that the measured servers send. */

interface Reply {
  status: number
  body: string
}

export interface Connection {
  /** One request at a time. Rejects when the connection closes. */
  send(request: string): Promise<Reply>
  close(): void
}

export async function connect(origin: string): Promise<Connection> {
  const { hostname, port } = new URL(origin)
  let received = Buffer.alloc(0)
  let pending: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | undefined

  /** Bytes that the socket has not accepted yet: it accepts a large request in parts. */
  let unsent = Buffer.alloc(0)
  let closed = false

  const onClosed = () => {
    closed = true
    pending?.reject(new Error('the connection was closed'))
    pending = undefined
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
        const { resolve } = pending ?? {}
        pending = undefined
        resolve?.(reply)
      },
      drain: writeRest,
      close: onClosed,
      error: onClosed,
    },
  })
  socket.setNoDelay(true)
  function writeRest() {
    if (unsent.length > 0) unsent = unsent.subarray(Math.max(socket.write(unsent), 0))
  }
  return {
    send: request =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Error('the connection was closed'))
        pending = { resolve, reject }
        unsent = Buffer.from(request)
        writeRest()
      }),
    close: () => socket.end(),
  }
}

/** Undefined while the reply is incomplete. @throws Error without Content-Length */
function readReply(bytes: Buffer): Reply | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`a response without Content-Length: ${head}`)
  const from = end + 4
  if (bytes.length < from + Number(length)) return undefined
  return {
    status: Number(head.slice(9, 12)),
    body: bytes.toString('utf8', from, from + Number(length)),
  }
}
