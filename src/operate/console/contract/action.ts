/**
 * Actions of staff as a table: who may do it, the verb, what the audit log says of it, and an example. Each entry is a route that runs
 * its verb in one unit of work by `act`.
 */
import type { AnyElysia } from 'elysia'
import type { Transaction } from '../../../../db/index.ts'
import type { DomainError, ProblemType } from '../../../core/problems.ts'
import { type Static, type TSchema, Type } from '../../../core/typebox.ts'
import type { Detail, Subject } from '../../../identity/staff/audit/record.ts'
import type { Staff } from '../../../identity/staff/staff.ts'
import type { Nothing } from '../../../platform/http/contract/operation.ts'
import type { Act } from './act.ts'
import { type ConsoleDeclaration, consoleOperation } from './operation.ts'

/** What a request has, and who makes it. */
interface Given<Body extends TSchema, Params> {
  body: Static<Body>
  params: Params extends TSchema ? Static<Params> : undefined
  staff: Staff
}

type Declared<Body, Params, Problem> = Omit<
  ConsoleDeclaration<Body, Nothing, Params, Record<number, TSchema>, Problem>,
  'body' | 'query' | 'responses' | 'examples'
>

interface Entry<Body extends TSchema, Params, Answer, Result, Problem>
  extends Declared<Body, Params, Problem> {
  /** PUT where a repeat changes nothing; POST by default. */
  method?: 'PUT'
  path: string
  /** Its `reason` is kept in the audit log. */
  body: Body
  /** What it is about. */
  subject: Subject | ((given: Given<Body, Params>) => Subject)
  verb: (tx: Transaction, given: Given<Body, Params>) => Promise<Result>
  /** What the audit log says of it. No personal data. */
  detail?: (result: Exclude<Result, DomainError>, given: Given<Body, Params>) => Detail
  /** The schema of the response with `status`, which is 200 by default. Without an answer: 204. */
  answer?: Answer
  status?: 201 | 202
  /** After the commit; by default the result of the verb is the response. */
  respond?: (result: Exclude<Result, DomainError>, given: Given<Body, Params>) => Answered<Answer>
  /** An example of the body. */
  example: Record<string, unknown>
}

type Answered<Answer> = Answer extends TSchema ? Static<Answer> | Promise<Static<Answer>> : never

/** What a verb returns that answers by itself. */
type Responding<Answer> = Answer extends TSchema ? Static<Answer> | DomainError : unknown

interface Context {
  act: Act
  body: { reason?: string }
  params: unknown
  staff: Staff
  status: (code: number, response: unknown) => unknown
}

interface Action {
  method: 'POST' | 'PUT'
  path: string
  handle: (context: Context) => Promise<unknown>
  /** Built when the route is added, since it registers the formats of the schemas. */
  options: () => object
}

export function action<
  Body extends TSchema,
  Params extends TSchema | undefined = undefined,
  Answer extends TSchema | undefined = undefined,
  Result extends Responding<Answer> = Responding<Answer>,
  const Problem extends ProblemType = never,
>(entry: Entry<Body, Params, Answer, Result, Problem> & { respond?: never }): Action
export function action<
  Body extends TSchema,
  Params extends TSchema | undefined = undefined,
  Answer extends TSchema | undefined = undefined,
  Result = unknown,
  const Problem extends ProblemType = never,
>(
  entry: Entry<Body, Params, Answer, Result, Problem> & {
    respond: (result: Exclude<Result, DomainError>, given: Given<Body, Params>) => Answered<Answer>
  },
): Action
export function action<
  Body extends TSchema,
  Params extends TSchema | undefined = undefined,
  Answer extends TSchema | undefined = undefined,
  Result = unknown,
  const Problem extends ProblemType = never,
>(entry: Entry<Body, Params, Answer, Result, Problem>): Action {
  const { method = 'POST', path, subject, verb, detail, answer, respond, example, ...declared } = entry
  const { status: code = answer ? 200 : 204, ...declaration } = declared
  const options = () =>
    consoleOperation<Record<number, TSchema>, Body, Nothing, Params, Problem>({
      ...declaration,
      responses: { [code]: answer ?? Type.Void({ description: 'Done.' }) },
      examples: { body: example },
    })
  const handle = async ({ act, body, params, staff, status }: Context) => {
    // Guarantee of the cast: `options` has the schemas that the request was checked by.
    const given = { body, params, staff } as Given<Body, Params>
    const about = typeof subject === 'function' ? subject(given) : subject
    const result = await act(about, body.reason, tx => verb(tx, given), {
      ...(detail && { detail: (done: Exclude<Result, DomainError>) => detail(done, given) }),
    })
    const response = respond ? await respond(result, given) : answer ? result : undefined
    return code === 200 ? response : status(code, response)
  }
  return { method, path, handle, options }
}

/** Adds the actions to a group of staff. No client uses the types of the routes. */
export function withActions<Group extends AnyElysia>(group: Group, actions: Action[]): Group {
  // Guarantee of the cast: `staff` gives the handlers of its routes this context.
  for (const { method, path, handle, options } of actions)
    group.route(method, path, handle as never, options())
  return group
}
