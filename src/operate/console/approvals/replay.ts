/** Sends a kept request again, on behalf of the one who asked, when another person has confirmed it. */
import type { Confirmation } from '../contract/call.ts'
import { roleOf, type Staff } from '../staff.ts'
import { requestOf } from './approvals.ts'
import type { ApprovalRow } from './state.ts'

/** Within this process: nothing that a client sends makes a request one of these. */
const confirmations = new WeakMap<Request, Confirmation>()

/** Of a request that `replay` made; undefined for all others. */
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
