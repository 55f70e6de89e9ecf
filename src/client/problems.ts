/** Problems as types, and the two that the client makes itself. */
import type { codes, problems } from './generated.ts'

/** A problem that is not of the API: it has the members that every problem has. */
interface ClientProblem<Code extends string> {
  type: string
  title: string
  status: number
  code: Code
  detail: string
  /** Of the response, if one came; else empty. */
  requestId: string
}

interface ClientProblems {
  /** No response: the connection failed, was cut, took too long, or was aborted. */
  network_error: ClientProblem<'network_error'>
  /** A response of something else, such as the page of a proxy. */
  unexpected_response: ClientProblem<'unexpected_response'>
}

const CLIENT_PROBLEMS = {
  network_error: { status: 503, title: 'The API cannot be reached' },
  unexpected_response: { status: 502, title: 'The response is not of this API' },
}

type AllProblems = problems & ClientProblems

/** The codes of the API, and those of the client. The API can add codes: keep a default branch. */
export type ProblemCode = keyof AllProblems

/** The problem document of a code; of several codes, their union. */
export type ProblemOf<Code extends ProblemCode> = AllProblems[Code]

/** Of a refresh that comes before the operation itself. A refusal ends the session instead. */
type RefreshCode = Exclude<codes['refreshNativeToken'], 'invalid_refresh_token'>

/** The problems of an operation. Narrow by `code`. */
export type Failure<Id extends keyof codes> = ProblemOf<codes[Id] | RefreshCode | keyof ClientProblems>

export type AnyProblem = ProblemOf<ProblemCode>

export function clientProblem(
  code: keyof ClientProblems,
  detail: string,
  response: Response | null,
): ClientProblems[keyof ClientProblems] {
  const requestId = response?.headers.get('x-request-id') ?? ''
  return { type: `urn:matchday:problem:${code}`, ...CLIENT_PROBLEMS[code], code, detail, requestId }
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
