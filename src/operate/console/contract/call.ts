/** What is known of a request of staff while it runs. */
import type { Permission } from '../roles.ts'
import type { Staff } from '../staff.ts'

/** The operation that a request reached. */
export interface Reached {
  id: string
  permission: Permission
}

interface Call {
  staff: Staff
  /** Set when the operation is reached, which is before its handler runs. */
  reached?: Reached
}

const calls = new WeakMap<Request, Call>()

export function beginCall(request: Request, call: Call): Call {
  calls.set(request, call)
  return call
}

/** @throws Error for a request of no group of staff: `consoleOperation` is for these alone */
export function callOf(request: Request): Call {
  const call = calls.get(request)
  if (!call) throw new Error('an operation of the console is declared outside of a group of staff')
  return call
}
