/** Eden's client, typed from the routes, for a monorepo that contains this repository. Other apps use `src/client/`. */
import { type Treaty, treaty } from '@elysiajs/eden'
import { type ClientProblem, clientProblems } from '../core/client-problems.ts'
import type { ProblemOf as DocumentOf } from '../core/problems.ts'
import type { App } from './app.ts'
import type { ProblemCode as ApiProblemCode, ProblemOf as ApiProblemOf } from './problem-types.ts'

export type { App }

/** The codes of the API, and those of the client: `network_error` and `unexpected_response`. */
export type ProblemCode = ApiProblemCode | keyof typeof clientProblems

/** The problem document of a code. */
export type ProblemOf<Code extends ProblemCode> =
  | ApiProblemOf<Extract<Code, ApiProblemCode>>
  | DocumentOf<(typeof clientProblems)[Extract<Code, keyof typeof clientProblems>]>

/**
 * `origin`: such as `http://localhost:3000`. Instants stay RFC 3339 strings, as the types say: Eden alone would make Dates of
 * them. `data` is the response of a success; `error` narrows by `status` and then by `value.code`. Without a response of the
 * API, `error` is the problem `network_error` or `unexpected_response`.
 */
export const createClient = (origin: string, config: Omit<Treaty.Config, 'parseDate'> = {}) =>
  treaty<App>(origin, { ...config, parseDate: false, fetcher: problemFetcher(config.fetcher) })

/** `fetch` whose promise always resolves, to a response of the API or to a problem in its place. */
function problemFetcher(fetcher: typeof fetch | undefined): typeof fetch {
  const fetchProblem = async (...request: Parameters<typeof fetch>): Promise<Response> => {
    let response: Response | undefined
    try {
      response = await (fetcher ?? globalThis.fetch)(...request)
      if (!isText(response)) return response
      const text = await response.text()
      return isOfApi(response, text) ? rebuild(response, text) : refuse(response)
    } catch (error) {
      return describe(clientProblems.network_error, reasonOf(error), response)
    }
  }
  return Object.assign(fetchProblem, { preconnect: globalThis.fetch.preconnect })
}

const mediaTypeOf = ({ headers }: Response) => headers.get('content-type')?.split(';')[0]?.trim()

/** All but streams of events, and responses that have no body. */
const isText = (response: Response) =>
  mediaTypeOf(response) !== 'text/event-stream' && response.status !== 204 && response.status !== 304

/** JSON of a success or a probe, or a problem. */
function isOfApi(response: Response, text: string): boolean {
  const mediaType = mediaTypeOf(response)
  const body = parse(text)
  if (typeof body !== 'object' || body === null) return false
  if (mediaType === 'application/problem+json') return 'code' in body && 'requestId' in body
  return mediaType === 'application/json' && (response.ok || 'checks' in body)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The same response, whose body was read. */
function rebuild({ status, statusText, headers }: Response, text: string): Response {
  return new Response(text, { status, statusText, headers: withoutLength(headers) })
}

function refuse(response: Response): Response {
  const detail = `The response has the status ${response.status} and the media type ${mediaTypeOf(response) ?? 'none'}.`
  return describe(clientProblems.unexpected_response, detail, response)
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function describe(
  { code, status, title }: ClientProblem,
  detail: string,
  response: Response | undefined,
): Response {
  const headers = withoutLength(response?.headers)
  const requestId = headers.get('x-request-id') ?? ''
  headers.set('content-type', 'application/problem+json')
  const type = `urn:matchday:problem:${code}`
  return new Response(JSON.stringify({ type, title, status, code, detail, requestId }), { status, headers })
}

/** Removes headers that no longer fit, after the body was decoded and read. */
function withoutLength(headers: Headers | undefined): Headers {
  const kept = new Headers(headers)
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) kept.delete(name)
  return kept
}
