/**
 * One open response of server-sent events. Frames wait in memory until the reader takes them. A server has tens of thousands
 * of them, so each is one object that is its own source of the response, without closures and pending promises.
 */

/** The server does not wait for a reader that is further behind and reads nothing. */
const MAX_WAITING_BYTES = 65_536

export interface ConnectionEvents {
  /** Called once, when either side has closed the connection. */
  onClose(): void
  /** Called if the reader reads nothing: it would not notice the end of the response either. */
  onUnreadEnd(): void
}

export class Connection {
  readonly body: ReadableStream<Uint8Array>
  readonly #events: ConnectionEvents
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #closed = false
  /** Null: none wait. */
  #frames: string | null = null
  #bytes = 0
  #wasFull = false
  /** The reader waits for frames. */
  #isRead = false
  /** Callers that wait for room. */
  #waiting: (() => void)[] | null = null

  constructor(events: ConnectionEvents) {
    this.#events = events
    // Nothing waits in the stream itself, so that all that waits is counted.
    this.body = new ReadableStream<Uint8Array>(this, { highWaterMark: 0 })
  }

  /** Called by the stream. */
  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller
  }

  /** Called by the stream, whose reader waits. */
  pull(): void {
    this.#isRead = true
    this.#hand()
  }

  /** Called by the stream, whose reader is gone. */
  cancel(): void {
    this.#close()
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Whether a frame may be sent now. */
  get hasRoom(): boolean {
    return this.#bytes < MAX_WAITING_BYTES
  }

  /** Resolves when a frame may be sent, or when the connection is closed. */
  async room(): Promise<void> {
    while (!this.#closed && !this.hasRoom)
      await new Promise<void>(resolve => {
        this.#waiting ??= []
        this.#waiting.push(resolve)
      })
  }

  /** Ignored once the connection is closed. */
  send(frame: string): void {
    if (this.#closed) return
    this.#frames = this.#frames === null ? frame : this.#frames + frame
    this.#bytes += Buffer.byteLength(frame)
    if (this.#isRead) this.#hand()
  }

  /** Whether frames waited since the last call, no further one had room, and the reader took none. */
  isStalled(): boolean {
    const stalled = this.#wasFull
    this.#wasFull = !this.hasRoom
    return stalled
  }

  /** Ends the response. Frames that wait are dropped. */
  end(): void {
    if (this.#closed) return
    if (!this.#isRead) this.#events.onUnreadEnd()
    this.#controller?.close()
    this.#close()
  }

  #hand(): void {
    if (this.#frames === null || this.#closed) return
    const frames = Buffer.from(this.#frames)
    this.#empty()
    this.#isRead = false
    this.#wasFull = false
    this.#controller?.enqueue(frames)
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#empty()
    this.#events.onClose()
  }

  #empty(): void {
    this.#frames = null
    this.#bytes = 0
    for (const resolve of this.#waiting ?? []) resolve()
    this.#waiting = null
  }
}
