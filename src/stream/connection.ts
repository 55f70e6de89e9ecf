/** One open response of server-sent events. Frames wait in memory until the reader takes them. */

/** A reader that is further behind and takes nothing is not waited for. */
const MAX_WAITING_BYTES = 65_536

export type Connection = Readonly<ReturnType<typeof createConnection>>

interface Events {
  /** Called once, when either side has closed the connection. */
  onClose(): void
  /** Called if the reader takes nothing: it would not notice the end of the response either. */
  onUnreadEnd(): void
}

export function createConnection({ onClose, onUnreadEnd }: Events) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let closed = false
  let frames: string[] = []
  let bytes = 0
  let wasFull = false
  /** Set while the reader waits for frames. */
  let supply: (() => void) | undefined
  const waiting: (() => void)[] = []

  function hand(): void {
    controller?.enqueue(Buffer.from(frames.join('')))
    frames = []
    bytes = 0
    wasFull = false
    makeRoom()
  }

  function makeRoom(): void {
    for (const resolve of waiting.splice(0)) resolve()
  }

  function close(): void {
    if (closed) return
    closed = true
    frames = []
    bytes = 0
    makeRoom()
    supply?.()
    onClose()
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      async pull() {
        if (frames.length === 0) await new Promise<void>(resolve => (supply = resolve))
        supply = undefined
        if (!closed) hand()
      },
      cancel: close,
    },
    // Nothing waits in the stream itself, so that all that waits is counted.
    { highWaterMark: 0 },
  )

  return {
    body,
    get closed(): boolean {
      return closed
    },
    /** Whether a frame may be sent now. */
    get hasRoom(): boolean {
      return bytes < MAX_WAITING_BYTES
    },
    /** Resolves when a frame may be sent, or when the connection is closed. */
    async room(): Promise<void> {
      while (!closed && bytes >= MAX_WAITING_BYTES)
        await new Promise<void>(resolve => void waiting.push(resolve))
    },
    /** Ignored once the connection is closed. */
    send(frame: string): void {
      if (closed) return
      frames.push(frame)
      bytes += Buffer.byteLength(frame)
      supply?.()
    },
    /** Whether frames waited since the last call, no further one had room, and the reader took none. */
    isStalled(): boolean {
      const stalled = wasFull
      wasFull = bytes >= MAX_WAITING_BYTES
      return stalled
    },
    /** Ends the response. Frames that wait are dropped. */
    end(): void {
      if (closed) return
      if (!supply) onUnreadEnd()
      controller?.close()
      close()
    },
  }
}
