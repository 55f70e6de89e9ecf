/** The stream of events: opened by `fetch` with the token in a header, read as it arrives, resumed when it is cut. */
import type { messages } from './generated.ts'
import type { Schemas } from './operations.ts'
import type { Failure, ProblemOf } from './problems.ts'
import { clientFailure } from './problems.ts'
import { createFrameParser, type Frame } from './server-sent-events.ts'
import {
  type AnyResult,
  callApp,
  delay,
  type OutgoingRequest,
  readResult,
  retryAfterMs,
  start,
  type Transport,
} from './transport.ts'

/** `me`: the events of the fan. The other topics announce that a public response has changed, or what a question has now. */
export type Topic =
  | 'me'
  | 'leaderboard'
  | `leaderboard:predictions${string}`
  | `pack:${string}`
  | `match:${string}`
  | `question:${string}`

type Changed = { etag: string | null }
type Scored = Pick<Schemas['Match'], 'status' | 'homeScore' | 'awayScore'>
/** `results`: null while everyone may not see them. */
type Asked = Pick<Schemas['ShownQuestion'], 'state' | 'results' | 'correct'>

/** `id` is the position in the fan's events; empty on streams without `me`. Events of other types can come: keep a default branch. */
export type StreamEvent =
  | { type: 'reset'; id: string; data: Record<string, never> }
  | { [Type in keyof messages]: { type: Type; id: string; data: messages[Type] } }[keyof messages]
  /** The number of unread messages has changed. */
  | { type: 'inbox'; id: string; data: { unread: number } }
  | { type: 'leaderboard' | `leaderboard:predictions${string}` | `pack:${string}`; id: string; data: Changed }
  | { type: `match:${string}`; id: string; data: (Changed & Scored) | { etag: null } }
  | {
      type: `question:${string}`
      id: string
      data: Asked | { state: null; results: null; correct: null }
    }

/** Why a stream has ended and cannot continue. */
type StreamFailure =
  | Failure<'readDashboard'>
  | ProblemOf<'pack_not_found' | 'match_not_found' | 'question_not_found' | 'too_many_streams'>

export interface FollowOptions {
  /** The `id` of the last event that the app has handled: the stream continues after it. */
  lastEventId?: string | undefined
  /** Called with false when the stream is cut, and with true when it is open (again). */
  onConnection?: ((open: boolean) => void) | undefined
  /**
   * Called when the stream has ended and will not reconnect, for example because the fan was signed out
   * elsewhere.
   */
  onEnd?: ((problem: StreamFailure) => void) | undefined
}

/**
 * Follows topics: calls `onEvent` for each event in order, reconnects when the stream is cut or silent, and resumes after the
 * last event. On `reset`, load the shown data again. Returns a function that closes the stream.
 */
export type Follow = (
  topics: readonly Topic[],
  onEvent: (event: StreamEvent) => void,
  options?: FollowOptions,
) => () => void

/** The API sends a comment every 15 seconds. Milliseconds. */
const SILENCE_MS = 60_000
const LONGEST_WAIT_MS = 30_000

type Opened = { error: null; response: Response } | (AnyResult & { error: object })

type Authorize = <Sent extends Pick<AnyResult, 'error'>>(
  given: undefined,
  sendWith: (authorization: Record<string, string>) => Promise<Sent>,
) => Promise<Sent | (AnyResult & { error: object })>

export const createFollow =
  (transport: Transport, authorize: Authorize): Follow =>
  (topics, onEvent, { lastEventId, onConnection, onEnd } = {}) => {
    const ended = new AbortController()
    let lastId = lastEventId
    let retryMs = 2000
    let failures = 0
    const finish = (problem: StreamFailure) => callApp(() => onEnd?.(problem))
    let topicList: string
    try {
      topicList = encodeURIComponent(topics.join(','))
    } catch (error) {
      finish(clientFailure('request_not_sent', error).error)
      return () => {}
    }

    /** The response of an open stream, or a problem. */
    async function open(signal: AbortSignal, authorization: Record<string, string>): Promise<Opened> {
      let response: Response | null = null
      try {
        const headers = { ...transport.headers(), ...authorization, accept: 'text/event-stream' }
        const request: OutgoingRequest = {
          method: 'GET',
          path: `/api/stream?topics=${topicList}`,
          headers: lastId ? { ...headers, 'last-event-id': lastId } : headers,
          repeatable: true,
        }
        response = await start(transport, request, signal)
        const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
        if (response.ok && isStream) return { error: null, response }
        const result = readResult(response, await response.text())
        if (result.error !== null) return result
        return clientFailure('unexpected_response', 'The response is not a stream of events.', response)
      } catch (error) {
        return clientFailure('network_error', error, response)
      }
    }

    function take({ type, id, data }: Frame) {
      // The app may have ended it at the frame before.
      if (ended.signal.aborted) return
      // Guarantee of the cast: the API sends what docs/stream.md says.
      const event = { type, id, data: JSON.parse(data) } as StreamEvent
      callApp(() => onEvent(event))
      if (id !== '') lastId = id
    }

    /** Reads until the stream ends or is cut. @throws what the body throws */
    async function read(body: ReadableStream<Uint8Array>, onData: () => void) {
      const parse = createFrameParser(take, ms => {
        retryMs = ms
      })
      const decoder = new TextDecoder()
      const reader = body.getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        onData()
        failures = 0
        parse(decoder.decode(value, { stream: true }))
        // It rejects, since the request was aborted.
        if (ended.signal.aborted) return void reader.cancel().catch(() => {})
      }
    }

    /** One connection. Null when it was open; else why it was not. */
    async function connect(): Promise<(AnyResult & { error: object }) | null> {
      const controller = new AbortController()
      const abort = () => controller.abort()
      let timer = setTimeout(abort, SILENCE_MS)
      ended.signal.addEventListener('abort', abort)
      try {
        const opened = await authorize(undefined, authorization => open(controller.signal, authorization))
        if (opened.error !== null) return opened
        if (!opened.response.body) {
          const detail = 'This fetch gives no body to read: pass one that does, such as that of expo/fetch.'
          ended.abort()
          finish(clientFailure('unexpected_response', detail, opened.response).error)
          return null
        }
        callApp(() => onConnection?.(true))
        await read(opened.response.body, () => {
          clearTimeout(timer)
          timer = setTimeout(abort, SILENCE_MS)
        }).catch(() => {})
        return null
      } finally {
        abort()
        clearTimeout(timer)
        ended.signal.removeEventListener('abort', abort)
      }
    }

    async function run() {
      while (!ended.signal.aborted) {
        const failed = await connect()
        if (ended.signal.aborted) return
        // Guarantee of the cast: the document has these problems for the stream.
        if (failed && isFinal(failed)) return finish(failed.error as StreamFailure)
        callApp(() => onConnection?.(false))
        const backOffMs = Math.min(retryMs * 2 ** failures++, LONGEST_WAIT_MS)
        const waitMs = Math.max(backOffMs, retryAfterMs(failed?.response ?? null))
        await delay(waitMs * (0.75 + Math.random() / 2), ended.signal)
      }
    }

    void run()
    return () => ended.abort()
  }

/** Whether another attempt would be refused in the same way. */
const isFinal = ({ error, response }: AnyResult) =>
  error !== null &&
  error.code !== 'network_error' &&
  error.code !== 'unexpected_response' &&
  response !== null &&
  response.status >= 400 &&
  response.status < 500 &&
  ![408, 429].includes(response.status)
