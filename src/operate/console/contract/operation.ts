/** Declares an operation of the console, like `operation` for the API, with the required permission. */
import type { Reader } from '../../../../db/index.ts'
import { DomainError, type ProblemType } from '../../../core/problems.ts'
import type { Static, TSchema } from '../../../core/typebox.ts'
import { callOf, type Reached } from '../../../identity/staff/call.ts'
import { consoleProblems } from '../../../identity/staff/problems.ts'
import { mayDo, type Permission } from '../../../identity/staff/roles.ts'
import {
  type Declaration,
  type Nothing,
  type Operation,
  operation,
} from '../../../platform/http/contract/operation.ts'

type OfPublicApi = 'limit' | 'conditional' | 'probe' | 'idempotencyKey' | 'whenSuspended' | 'guardianConsent'

export interface ConsoleDeclaration<Body, Query, Params, Responses, Problem>
  extends Omit<Declaration<Body, Query, Params, Responses, Problem>, OfPublicApi> {
  /** A permission of `roles.ts`. */
  permission: Permission
  /** Why a write needs no `reason`, namely how to undo it. All other writes have a `reason` in their body. */
  reversible?: string
  /**
   * Why no second person is needed although the permission belongs to a group, or for which input: the action removes value
   * or creates none.
   */
  onePerson?: string | ((input: OnePersonInput<Body, Params>) => boolean | Promise<boolean>)
}

interface OnePersonInput<Body, Params> {
  body: Input<Body>
  params: Input<Params>
  reader: Reader
}

type Input<Schema> = Schema extends TSchema ? Static<Schema> : undefined

/** The declaration as tests read it, in the `detail` of its route. */
export interface ConsoleDeclared {
  permission: Permission
  reversible?: string
  /** Whether one person is enough; `sometimes` depends on the input. */
  onePerson: 'always' | 'sometimes' | 'never'
}

const CONSOLE = 'x-console'

/** The declaration of a route; undefined for a route that is no operation of staff. */
export const consoleDeclaredOf = (route: {
  hooks: { detail?: Record<string, unknown> }
}): ConsoleDeclared | undefined =>
  // Guarantee of the cast: only `consoleOperation` writes this key.
  route.hooks.detail?.[CONSOLE] as ConsoleDeclared | undefined

/** For routes of a group `staff(…)`. The role is checked before the body is read. */
export function consoleOperation<
  const Responses extends Record<number, TSchema>,
  Body extends TSchema | undefined = undefined,
  Query extends TSchema = Nothing,
  Params extends TSchema | undefined = undefined,
  const Problem extends ProblemType = never,
>(
  declaration: ConsoleDeclaration<Body, Query, Params, Responses, Problem>,
): Operation<Body, Query, Params, Responses, Problem> {
  const { permission, reversible, onePerson, ...rest } = declaration
  const declared = operation<Responses, Body, Query, Params, Problem>({ ...rest, idempotencyKey: 'none' })
  // Guarantee of the cast: the hooks that `operation` returns with its options.
  const { transform } = declared as unknown as { transform: unknown[] }
  const byInput = typeof onePerson === 'function' ? onePerson : null
  const whether = byInput ? 'sometimes' : onePerson === undefined ? 'never' : 'always'
  const ofConsole: ConsoleDeclared = { permission, ...(reversible && { reversible }), onePerson: whether }
  const detail = { ...declared.detail, [CONSOLE]: ofConsole }
  const reached = {
    id: rest.id,
    permission,
    // Guarantee of the cast: a handler calls it, whose input has the types of the declaration.
    mayOnePerson: (input: unknown) =>
      byInput?.(input as Parameters<typeof byInput>[0]) ?? whether === 'always',
  }
  const hooks = { detail, transform: [reach(reached), ...transform] }
  return Object.assign(declared, hooks)
}

/** @throws DomainError `permission_denied` */
const reach =
  (reached: Reached) =>
  ({ request, params }: { request: Request; params: unknown }): void => {
    const call = callOf(request)
    const { permission } = reached
    if (!mayDo(call.staff.role, permission))
      throw new DomainError(consoleProblems.permission_denied, {
        permission,
        detail: `The role ${call.staff.role} does not have ${permission}.`,
      })
    call.reached = reached
    call.params = params
  }
