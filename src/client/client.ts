/** One client: the operations, the session and the stream of a fan or of one of the club's systems. */
import { requests } from './generated.ts'
import { createMessages, type MessagesOfFan } from './messages.ts'
import type { Api, CallOptions, OperationId } from './operations.ts'
import { clientFailure } from './problems.ts'
import { fillRequest } from './requests.ts'
import { createSessions, keepInMemory, type SessionStore, type Sessions } from './session.ts'
import { createFollow, type Follow } from './stream.ts'
import { type AnyResult, type OutgoingRequest, send, type Transport } from './transport.ts'

export interface ClientOptions {
  /** Where the API is, such as `https://api.example.com`. */
  origin: string
  /** Where the session of the fan is kept; by default in memory. */
  store?: SessionStore | undefined
  /** Called when the API has ended the session, or its refresh token has expired: show the sign-in. */
  onSessionEnd?: (() => void) | undefined
  /** Called when the store cannot be written: the session then ends with the page or process. */
  onStoreError?: ((error: unknown) => void) | undefined
  /** A token in place of a session, such as a server key, for each request; null for none. */
  token?: string | (() => string | null | Promise<string | null>) | undefined
  /** Such as `accept-language`, for each request. */
  headers?: Record<string, string> | (() => Record<string, string>) | undefined
  /** By default the `fetch` of the platform. In React Native pass `fetch` of `expo/fetch` for the stream. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Further attempts after a temporary failure, if a repeat is safe: 2 by default. */
  retries?: number | undefined
  /** Timeout of one attempt, in milliseconds; 30,000 by default. */
  timeoutMs?: number | undefined
}

export interface Client extends MessagesOfFan {
  /** The operations of the API by `operationId`. */
  api: Api
  session: Sessions
  follow: Follow
}

export function createClient(options: ClientOptions): Client {
  const {
    origin,
    store = keepInMemory(),
    onSessionEnd = () => {},
    onStoreError = () => {},
    headers = {},
    token,
  } = options
  const transport: Transport = {
    // Found at each call, so that an app can replace it.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    origin: origin.endsWith('/') ? origin.slice(0, -1) : origin,
    headers: typeof headers === 'function' ? headers : () => headers,
    retries: options.retries ?? 2,
    timeoutMs: options.timeoutMs ?? 30_000,
  }

  async function call(
    id: OperationId,
    input: object = {},
    callOptions: CallOptions = {},
  ): Promise<AnyResult> {
    const { signal } = callOptions
    let request: OutgoingRequest
    try {
      request = requestOf(id, input, callOptions, transport.headers())
    } catch (error) {
      return clientFailure('request_not_sent', error)
    }
    if (!('caller' in requests[id])) return send(transport, request, signal)
    return authorize(callOptions.token, authorization =>
      send(transport, { ...request, headers: { ...request.headers, ...authorization } }, signal),
    )
  }

  /** Sends with a token, and once more with another one if the API refuses that of the session. */
  async function authorize<Sent extends Pick<AnyResult, 'error'>>(
    given: string | undefined,
    sendWith: (authorization: Record<string, string>) => Promise<Sent>,
  ) {
    let own: string | null | undefined
    try {
      own = given ?? (typeof token === 'function' ? await token() : token)
    } catch (error) {
      return clientFailure('request_not_sent', error)
    }
    if (own !== undefined) return sendWith(bearer(own))
    const found = await sessions.credentials()
    if (found.error) return { ...found, data: null }
    const sent = await sendWith(bearer(found.token))
    if (found.token === null || sent.error?.code !== 'invalid_token') return sent
    const renewed = await sessions.renew(found.token)
    if (renewed.error) return { ...renewed, data: null }
    return renewed.token === null ? sent : sendWith(bearer(renewed.token))
  }

  // Guarantee: every operation has an entry in the table, and its responses are as the document says.
  const api = Object.fromEntries(
    Object.keys(requests).map(id => [
      id,
      (input?: object, callOptions?: CallOptions) => call(id as OperationId, input, callOptions),
    ]),
  ) as unknown as Api

  const sessions = createSessions(
    store,
    {
      exchange: (accessToken, deviceName) => api.createNativeToken({ deviceName }, { token: accessToken }),
      refresh: refreshToken => api.refreshNativeToken({ refreshToken }),
      logOut: (native, everywhere) => api.logOut({ everywhere }, { token: native }),
    },
    onSessionEnd,
    onStoreError,
  )
  const { signIn, signOut, current, token: currentToken } = sessions
  return {
    api,
    ...createMessages(api),
    session: { signIn, signOut, current, token: currentToken },
    follow: createFollow(transport, authorize),
  }
}

const bearer = (token: string | null): Record<string, string> =>
  token === null ? {} : { authorization: `Bearer ${token}` }

/** @throws as `fillRequest` */
function requestOf(
  id: OperationId,
  input: object,
  { idempotencyKey }: CallOptions,
  ofApp: Record<string, string>,
): OutgoingRequest {
  const facts = requests[id]
  const { headers, ...filled } = fillRequest(facts, input)
  const common = { ...ofApp }
  if ('keyed' in facts) common['idempotency-key'] = idempotencyKey ?? createIdempotencyKey()
  return { ...filled, headers: { ...common, ...headers }, repeatable: 'repeatable' in facts }
}

/** For a button that may be pressed again. No secret: it only differs from the fan's other keys. */
export function createIdempotencyKey(): string {
  // `randomUUID` is missing in React Native and on pages over http.
  const part = () => Math.random().toString(36).slice(2)
  return globalThis.crypto?.randomUUID?.() ?? `${Date.now().toString(36)}-${part()}-${part()}`
}
