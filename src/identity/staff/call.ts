/** The state of a request of staff while it runs. */
import type { Reader } from '../../../db/index.ts'
import type { Permission } from './roles.ts'
import type { StaffSession } from './sessions/sessions.ts'
import type { Staff } from './staff.ts'

/** The operation that a request reached. */
export interface Reached {
  id: string
  permission: Permission
  /** Whether its declaration allows one person for this input. */
  mayOnePerson(input: { body: unknown; params: unknown; reader: Reader }): boolean | Promise<boolean>
}

/** The confirmation of a stored request by a second person. */
export interface Confirmation {
  approvalId: string
  requestedBy: Staff
  confirmedBy: Staff
}

export interface CurrentSession extends StaffSession {
  csrfToken: string
}

interface Call {
  staff: Staff
  /** Undefined for a stored request that was confirmed. */
  session?: CurrentSession
  confirmation?: Confirmation | undefined
  /** Set when the operation is reached, which is before its handler runs. */
  reached?: Reached
  /** Parameters of its path, set together with `reached`. */
  params?: unknown
}

const calls = new WeakMap<Request, Call>()

export function beginCall(request: Request, call: Call): Call {
  calls.set(request, call)
  return call
}

/** @throws Error for a request outside the groups of `staff`: `consoleOperation` works only within them */
export function callOf(request: Request): Call {
  const call = calls.get(request)
  if (!call) throw new Error('an operation of the console is declared outside of a group of staff')
  return call
}

/** For operations on the caller's own session, which are never stored for approval. */
export function sessionOf(request: Request): CurrentSession {
  const { session } = callOf(request)
  if (!session) throw new Error('this request has no session')
  return session
}
