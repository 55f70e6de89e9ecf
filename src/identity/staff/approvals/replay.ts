/** Runs a stored request on behalf of the person who asked, after another person has confirmed it. */
import type { Confirmation } from '../call.ts'
import { roleOf, type Staff } from '../staff.ts'
import { requestOf } from './approvals.ts'
import type { ApprovalRow } from './state.ts'

/** Requests that this process made. Nothing that a client sends can add a request. */
const confirmations = new WeakMap<Request, Confirmation>()

/** The confirmation of a request that `replay` made; undefined for all others. */
export const confirmationOf = (request: Request): Confirmation | undefined => confirmations.get(request)

export async function replay(
  handle: (request: Request) => Promise<Response>,
  row: ApprovalRow,
  confirmedBy: Staff,
): Promise<Response> {
  const { method, path, body } = requestOf(row)
  const request = new Request(`http://console${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const { requestedById, requestedByName, requestedByRole } = row
  const requestedBy = { id: requestedById, name: requestedByName, role: roleOf(requestedByRole) }
  confirmations.set(request, { approvalId: row.id, requestedBy, confirmedBy })
  return handle(request)
}
