/** Problems as types, and those that the client makes itself. */
import type { codes, problems } from './generated.ts'

/** A problem that is not of the API: it has the members that every problem has. */
interface ClientProblem<Code extends string> {
  type: string
  title: string
  status: number
  code: Code
  detail: string
  /** The id in the response; empty without a response. */
  requestId: string
}

interface ClientProblems {
  /** The `signal` of the call was aborted. The API may have received the request. */
  aborted: ClientProblem<'aborted'>
  /** No response: the connection failed, was cut, or took too long. */
  network_error: ClientProblem<'network_error'>
  /** Nothing was sent: the input has what JSON or a URL cannot hold, or `token`, `headers` or the store of the app failed. */
  request_not_sent: ClientProblem<'request_not_sent'>
  /** A response of something else, such as the page of a proxy. */
  unexpected_response: ClientProblem<'unexpected_response'>
}

const CLIENT_PROBLEMS = {
  aborted: { status: 499, title: 'The call was aborted' },
  request_not_sent: { status: 400, title: 'The request could not be sent' },
  network_error: { status: 503, title: 'The API cannot be reached' },
  unexpected_response: { status: 502, title: 'The response is not of this API' },
}

type AllProblems = problems & ClientProblems

/** The codes of the API, and those of the client. The API can add codes: keep a default branch. */
export type ProblemCode = keyof AllProblems

/** The problem document of a code; of several codes, their union. */
export type ProblemOf<Code extends ProblemCode> = AllProblems[Code]

/** Codes of a refresh before the operation itself. A refusal ends the session instead. */
type RefreshCode = Exclude<codes['refreshNativeToken'], 'invalid_refresh_token'>

/** The problems of an operation. Narrow by `code`. */
export type Failure<Id extends keyof codes> = ProblemOf<codes[Id] | RefreshCode | keyof ClientProblems>

export type AnyProblem = ProblemOf<ProblemCode>

/** A failed result. `reason`: the thrown error, or its message. */
export function clientFailure(code: keyof ClientProblems, reason: unknown, response: Response | null = null) {
  const detail = reason instanceof Error ? reason.message : String(reason)
  const requestId = response?.headers.get('x-request-id') ?? ''
  const type = `urn:matchday:problem:${code}`
  const error: ClientProblems[keyof ClientProblems] = {
    type,
    ...CLIENT_PROBLEMS[code],
    code,
    detail,
    requestId,
  }
  return { data: null, error, response }
}

/** Thrown by `unwrap`. */
export class ProblemError extends Error {
  override name = 'ProblemError'

  // Not generic: `instanceof` would then give a problem of type any.
  constructor(readonly problem: AnyProblem) {
    super(`${problem.code}: ${problem.detail}`)
  }
}

/**
 * The data of a call, for libraries that expect a promise that rejects.
 * @throws ProblemError with the problem of the call
 */
export async function unwrap<Data>(
  call: PromiseLike<{ data: Data; error: null } | { data: null; error: AnyProblem }>,
): Promise<Data> {
  const result = await call
  if (result.error !== null) throw new ProblemError(result.error)
  return result.data
}
