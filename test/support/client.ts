/** An HTTP client that holds every answer it gets to the OpenAPI document. */
import type { Conformance } from './conformance.ts'

export interface Answer {
  status: number
  headers: Headers
  /** The JSON body, loosely typed: a test says what it expects of it. */
  // biome-ignore lint/suspicious/noExplicitAny: expectations read bodies of every shape
  body: any
}

export interface Client {
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Anything else: headers and body as given. */
  send(path: string, init: RequestInit): Promise<Answer>
}

type Handle = (request: Request) => Promise<Response>

export function createClient(
  handle: Handle,
  judge: Conformance,
  token?: string,
  origin = 'http://localhost',
): Client {
  async function send(path: string, init: RequestInit): Promise<Answer> {
    const headers = new Headers(init.headers)
    if (token !== undefined && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`)
    const response = await handle(new Request(origin + path, { ...init, headers }))
    const mediaType = response.headers.get('content-type')?.split(';')[0] ?? null
    const isEndless = mediaType === 'text/event-stream'
    const text = isEndless ? '' : await response.text()
    if (isEndless) await response.body?.cancel()
    const body = mediaType?.endsWith('json') ? JSON.parse(text) : text || isEndless ? text : undefined
    const exchange = { method: init.method ?? 'GET', path: path.split('?')[0] ?? '', status: response.status }
    const fault = judge({ ...exchange, mediaType, body })
    if (fault) throw new Error(`${exchange.method} ${path} answered ${response.status}: ${fault}\n${text}`)
    if (!response.headers.get('x-request-id')) throw new Error(`${path} answered without X-Request-Id`)
    return { status: response.status, headers: response.headers, body }
  }

  const withBody =
    (method: string) =>
    (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      send(path, {
        method,
        ...(body === undefined
          ? { headers }
          : {
              body: JSON.stringify(body),
              headers: { 'content-type': 'application/json', ...headers },
            }),
      })

  return {
    send,
    get: (path, headers = {}) => send(path, { method: 'GET', headers }),
    post: withBody('POST'),
    patch: withBody('PATCH'),
    put: withBody('PUT'),
  }
}
