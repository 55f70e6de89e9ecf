/** Server-sent events as text (HTML Standard §9.2). */

interface Frame {
  /** `Last-Event-ID` of a client that reconnects after this event. */
  id?: number | undefined
  /** Contains no line break. */
  event: string
  /** Sent as JSON, which contains no line break. */
  data: object | string
}

/** `data` that is a string is JSON text already. */
export const frameOf = ({ id, event, data }: Frame): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

/** Keeps connections open that proxies would close, and shows the client that the stream is alive. */
export const COMMENT = ':\n\n'

/** How long `EventSource` waits before it reconnects. */
export const retryFrame = (ms: number): string => `retry: ${ms}\n\n`
