/** Streams over real sockets, read as text, for the tests of server-sent events. */
import { waitUntil } from '../../support/wait-until.ts'

export interface Received {
  id?: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: expectations read data of every shape
  data: any
}

export interface OpenStream {
  status: number
  headers: Headers
  /** Events so far. */
  received: Received[]
  /** The reconnection times that the server has sent so far, in milliseconds. */
  retries: number[]
  /** Comments so far. */
  comments(): number
  /** Events with data of this name so far. */
  named(event: string): Received[]
  /** Waits for the n-th event of all. */
  nth(n: number): Promise<Received>
  /** Waits until the server has ended the stream. */
  ended(): Promise<void>
  isOpen(): boolean
  close(): void
}

const opened = new Set<OpenStream>()

/** After a test. */
export function closeStreams(): void {
  for (const stream of opened) stream.close()
  opened.clear()
}

/** GET of this path and query, whatever the status is. */
export async function openStream(
  origin: string | undefined,
  query: string,
  headers: Record<string, string> = {},
): Promise<OpenStream> {
  const abort = new AbortController()
  const response = await fetch(`${origin}/api/stream?${query}`, { headers, signal: abort.signal })
  const received: Received[] = []
  const retries: number[] = []
  let comments = 0
  let isOpen = true
  const reading = (async () => {
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        if (block.startsWith(':')) comments++
        const retry = /^retry: (\d+)$/.exec(block)?.[1]
        if (retry !== undefined) retries.push(Number(retry))
        if (/^event:/m.test(block)) received.push(parse(block))
      }
    }
  })()
    .catch(() => {})
    .finally(() => {
      isOpen = false
    })
  const stream: OpenStream = {
    status: response.status,
    headers: response.headers,
    received,
    retries,
    comments: () => comments,
    named: event => received.filter(message => message.event === event),
    nth: n => waitUntil(`event ${n} arrived`, () => received[n - 1]),
    async ended() {
      await waitUntil('the server ended the stream', () => !isOpen)
      await reading
    },
    isOpen: () => isOpen,
    close: () => abort.abort(),
  }
  opened.add(stream)
  return stream
}

/** Complete events in the text of a response, chunked or not. */
export function parseStream(text: string): Received[] {
  const body = text.slice(text.indexOf('\r\n\r\n') + 4).replace(/(^|\r\n)[0-9a-f]+\r\n/g, '')
  return body
    .split('\n\n')
    .slice(0, -1)
    .filter(block => /^event:/m.test(block))
    .map(parse)
}

function parse(block: string): Received {
  const fields = Object.fromEntries(
    block.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const { id, event = '', data = 'null' } = fields
  return { ...(id === undefined ? {} : { id }), event, data: JSON.parse(data) }
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
