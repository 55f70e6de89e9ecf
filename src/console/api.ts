/**
 * The operations of the console's API as functions, and links to them. Failures are thrown as values of two classes, which `Failed` and
 * `Form` show.
 */
import { type DataOf, fillRequest, type InputOf } from '../client/requests.ts'
import { type operations, type problems, requests } from './generated.ts'
import { saveFile } from './save-file.ts'
import { markSessionEnded, session } from './session.ts'

export type OperationId = keyof typeof requests
/** The members of path, query and body of an operation. */
export type Input<Id extends OperationId> = InputOf<operations[Id]>
/** What an operation answers. */
export type Data<Id extends OperationId> = DataOf<operations[Id]>

interface Options {
  signal?: AbortSignal | undefined
}

type Call<Id extends OperationId, Result> =
  Record<never, never> extends Input<Id>
    ? (input?: Input<Id>, options?: Options) => Promise<Result>
    : (input: Input<Id>, options?: Options) => Promise<Result>

type Api = { readonly [Id in OperationId]: Call<Id, Data<Id>> }

/** Operations that answer with `Type` and no JSON. */
type Answering<Type> = {
  [Id in OperationId]: operations[Id]['responses'] extends { 200: { content: infer Content } }
    ? Content extends { 'application/json': unknown }
      ? never
      : keyof Content extends Type
        ? Id
        : never
    : never
}[OperationId]
type LinesId = Answering<'application/jsonl'>
type FileId = Exclude<Answering<string>, LinesId>
export type LineOf<Id extends LinesId> = operations[Id]['responses'][200]['content']['application/jsonl']

/** Codes of every operation of staff, in addition to its declared ones. */
type StaffCode = 'session_required' | 'permission_denied' | 'approval_required'

/** A missing value of a form is sent as null, which the API refuses at its field. Guarantee of the cast: that refusal. */
export const asWritten = <Value>(value: Value | null): Value => value as Value

/** A problem document, which the API returns for each refusal. A code can have further members. */
export interface Problem {
  status: number
  code: string
  title: string
  detail: string
  requestId?: string
  errors?: { pointer?: string; parameter?: string; header?: string; message: string }[]
}

/** The server refused or failed. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title)
  }
}

/** There was no response: no network, or the server is not running. */
export class UnreachableError extends Error {
  constructor() {
    super('The console cannot be reached. Check your connection.')
  }
}

export const hasCode = (error: unknown, code: keyof problems | StaffCode): error is ProblemError =>
  error instanceof ProblemError && error.problem.code === code

const DEADLINE_MS = 30_000

interface Sent {
  signal?: AbortSignal | undefined
  /** Disables the deadline; only `signal` ends the request. */
  isLong?: boolean
}

/** @throws ProblemError | UnreachableError, or the reason of `signal` */
async function send(id: OperationId, input: object, { signal, isLong = false }: Sent): Promise<Response> {
  const { method, path, headers, body } = fillRequest(requests[id], input)
  const sent = new Headers({ ...headers, accept: 'application/json' })
  if (method !== 'GET' && session.value) sent.set('x-csrf-token', session.value.csrfToken)
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  let response: Response
  try {
    response = await fetch(path, {
      method,
      headers: sent,
      // Guarantee of the cast: `fetch` takes any bytes; its type leaves out those of shared memory.
      body: (body ?? null) as BodyInit | null,
      signal: signal ? (isLong ? signal : AbortSignal.any([signal, deadline])) : isLong ? null : deadline,
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
  const fallback = { status, code: 'unknown', title, detail: `The console answered with status ${status}.` }
  if (!response.headers.get('content-type')?.includes('json')) return fallback
  const written: unknown = await response.json().catch(() => null)
  // Guarantee of the spread: each answer of 400 and above with JSON is a problem document.
  return { ...fallback, ...(typeof written === 'object' ? written : {}) }
}

async function call(id: OperationId, input: object = {}, { signal }: Options = {}): Promise<unknown> {
  const response = await send(id, input, { signal })
  return response.status === 204 ? undefined : response.json()
}

/** The operations by their ids. Those that write get the CSRF token. Guarantee of the cast: the API answers as its document says. */
export const api = Object.fromEntries(
  Object.keys(requests).map(id => [
    id,
    (input?: object, options?: Options) => call(id as OperationId, input, options),
  ]),
) as unknown as Api

/** The address of an operation that reads, with its query. */
export const addressOfRead = <Id extends OperationId>(id: Id, input: Input<Id>): string =>
  fillRequest(requests[id], input as object).path

/** A write whose response is a file, which is saved under `name`. */
export async function download<Id extends FileId>(id: Id, input: Input<Id>, name: string): Promise<void> {
  // Guarantee of the cast: the input of an operation is an object.
  const response = await send(id, input as object, { isLong: true })
  saveFile(await response.blob(), name)
}

/** A write that answers by lines of JSON while it works, for as long as that takes. Without a line within the deadline it fails. */
export async function readLines<Id extends LinesId>(
  id: Id,
  input: Input<Id>,
  signal: AbortSignal,
  onLine: (line: LineOf<Id>) => void,
): Promise<void> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), DEADLINE_MS)
  try {
    const isEnded = AbortSignal.any([signal, silence.signal])
    // Guarantee of the cast: the input of an operation is an object.
    const response = await send(id, input as object, { signal: isEnded, isLong: true })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      clearTimeout(timer)
      if (done) return
      timer = setTimeout(() => silence.abort(), DEADLINE_MS)
      const lines = (text + value).split('\n')
      text = lines.pop() ?? ''
      // Guarantee of the cast: as of `api`.
      for (const line of lines) onLine(JSON.parse(line) as LineOf<Id>)
    }
  } catch (error) {
    if (signal.aborted || error instanceof ProblemError) throw error
    throw new UnreachableError()
  } finally {
    clearTimeout(timer)
  }
}
