/** Requests of the console's own API. Failures are values of two classes, which `Failed` and `Form` show. */
import { markSessionEnded, session } from './session.ts'

/** A problem document, as the API answers each refusal. Members of a code stand beside these. */
export interface Problem {
  status: number
  code: string
  title: string
  detail: string
  requestId?: string
  errors?: { pointer?: string; parameter?: string; header?: string; message: string }[]
  [member: string]: unknown
}

/** The server refused or failed. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title)
  }
}

/** No answer came: no network, or the server does not run. */
export class UnreachableError extends Error {
  constructor() {
    super('The console cannot be reached. Check your connection.')
  }
}

export const hasCode = (error: unknown, ...codes: string[]): error is ProblemError =>
  error instanceof ProblemError && codes.includes(error.problem.code)

const DEADLINE_MS = 30_000

interface Input {
  /** A file, sent as it is. */
  file?: Blob
  query?: Record<string, string | number | boolean | null | undefined>
  body?: unknown
  signal?: AbortSignal
  /** Without the deadline: `signal` ends it. */
  isLong?: boolean
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The address of an operation with its query; members without a value are left out. */
export function pathWith(path: string, query: Input['query'] = {}): string {
  const written = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') written.set(name, String(value))
  const text = written.toString()
  return text === '' ? path : `${path}?${text}`
}

/** @throws ProblemError | UnreachableError, or the reason of `signal` */
async function send(
  method: Method,
  path: string,
  { query, body, file, signal, isLong = false }: Input,
): Promise<Response> {
  const headers = new Headers({ accept: 'application/json' })
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (file) headers.set('content-type', file.type)
  if (method !== 'GET' && session.value) headers.set('x-csrf-token', session.value.csrfToken)
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  let response: Response
  try {
    response = await fetch(pathWith(path, query), {
      method,
      headers,
      body: file ?? (body === undefined ? null : JSON.stringify(body)),
      signal: signal ? (isLong ? signal : AbortSignal.any([signal, deadline])) : deadline,
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new UnreachableError()
  }
  // 202: the action waits for a second person (`approval_required`). A caller that expects its result must not get this one.
  if (response.ok && !response.headers.get('content-type')?.includes('problem')) return response
  const problem = await readProblem(response)
  if (problem.code === 'session_required') markSessionEnded()
  throw new ProblemError(problem)
}

async function readProblem(response: Response): Promise<Problem> {
  const { status, statusText } = response
  const title = statusText || 'The request failed'
  const fallback = { status, code: 'unknown', title, detail: `The console answered ${status}.` }
  if (!response.headers.get('content-type')?.includes('json')) return fallback
  const written: unknown = await response.json().catch(() => null)
  // Guarantee of the spread: each answer of 400 and above with JSON is a problem document.
  return { ...fallback, ...(typeof written === 'object' ? written : {}) }
}

/** Guarantee of the cast to `T`: the caller names the type of the operation's response schema. */
async function sendForJson<T>(method: Method, path: string, input: Input): Promise<T> {
  const response = await send(method, path, input)
  return response.status === 204 ? (undefined as T) : ((await response.json()) as T)
}

/** GET. `T` is the static type of the operation's response schema. */
export const read = <T>(path: string, input: Omit<Input, 'body'> = {}) => sendForJson<T>('GET', path, input)

/** A write. The CSRF token is added. */
export const write = <T = void>(
  method: Exclude<Method, 'GET'>,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
) => sendForJson<T>(method, path, { body, ...(signal ? { signal } : {}) })

/** A write that answers with a file. */
export async function writeForFile(path: string, body: unknown): Promise<Blob> {
  const response = await send('POST', path, { body, isLong: true })
  return response.blob()
}

/** Sends a file. */
export const upload = <T>(path: string, file: Blob) => sendForJson<T>('POST', path, { file })

/** Sends a part of a file. */
export const uploadPart = (path: string, part: Blob, signal: AbortSignal) =>
  sendForJson<unknown>('PUT', path, { file: part, signal })

/**
 * A write that answers by lines of JSON while it works, for as long as that takes. Without a line within the deadline it fails.
 * Guarantee of the cast to `T`: as `read`.
 */
export async function writeForLines<T>(
  path: string,
  body: unknown,
  signal: AbortSignal,
  onLine: (line: T) => void,
): Promise<void> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), DEADLINE_MS)
  try {
    const response = await send('POST', path, {
      body,
      signal: AbortSignal.any([signal, silence.signal]),
      isLong: true,
    })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      clearTimeout(timer)
      if (done) return
      timer = setTimeout(() => silence.abort(), DEADLINE_MS)
      const lines = (text + value).split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) onLine(JSON.parse(line) as T)
    }
  } catch (error) {
    if (signal.aborted || error instanceof ProblemError) throw error
    throw new UnreachableError()
  } finally {
    clearTimeout(timer)
  }
}
