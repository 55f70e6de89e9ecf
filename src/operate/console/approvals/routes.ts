/** Approvals: waiting actions, and decisions of the second person. */

import { Closed } from '../../../core/schemas.ts'
import { consoleOperation } from '../contract/operation.ts'
import { staff } from '../contract/staff.ts'
import type { ConsoleDeps } from '../deps.ts'
import { listApprovals, presentApproval, refuseApproval, requireDecidable } from './approvals.ts'
import { thrownBy } from './problems.generated.ts'
import { replay } from './replay.ts'
import { Approval, ApprovalPage, ApprovalParams, ApprovalQuery, Confirmed, Refusal } from './schema.ts'

/** `handle`: the handler of the console, which runs the stored request. */
export const approvalRoutes = (deps: ConsoleDeps, handle: (request: Request) => Promise<Response>) =>
  staff(deps, { prefix: '/api/approvals', tag: 'Approvals' })
    .get(
      '',
      ({ query, staff }) => listApprovals(deps.db.read, deps.cursors, staff, query),
      consoleOperation({
        id: 'listApprovals',
        summary: 'List actions that wait for a second person, and what was decided',
        permission: 'approvals.decide',
        query: ApprovalQuery,
        responses: { 200: ApprovalPage },
        problems: thrownBy.listApprovals,
      }),
    )
    .post(
      '/:approvalId/confirm',
      async ({ params: { approvalId }, staff }) => {
        const row = await requireDecidable(deps.db.read, approvalId, staff, 'confirm')
        const response = await replay(handle, row, staff)
        // Returns the problem of the action, which still waits and can be confirmed again or refused. Guarantee of the cast:
        // a Response is sent as it is.
        if (!response.ok) return response as never
        return { approvalId, status: response.status, result: await response.json().catch(() => null) }
      },
      consoleOperation({
        id: 'confirmApproval',
        summary: 'Confirm an action that another person asked for, which does it',
        permission: 'approvals.decide',
        reversible: 'it has the reason of the one who asked',
        params: ApprovalParams,
        body: Closed({}),
        responses: { 200: Confirmed },
        problems: thrownBy.confirmApproval,
        examples: { body: {} },
      }),
    )
    .post(
      '/:approvalId/refuse',
      async ({ act, body: { reason }, params: { approvalId }, staff }) => {
        await requireDecidable(deps.db.read, approvalId, staff, 'refuse')
        const subject = { kind: 'approval', id: approvalId }
        const row = await act(subject, reason, tx => refuseApproval(tx, approvalId, staff), {
          detail: ({ operation }) => ({ operation }),
        })
        return presentApproval(deps.db.read, row, staff)
      },
      consoleOperation({
        id: 'refuseApproval',
        summary: 'Refuse an action, or withdraw one’s own',
        permission: 'approvals.decide',
        params: ApprovalParams,
        body: Refusal,
        responses: { 200: Approval },
        problems: thrownBy.refuseApproval,
        examples: { body: { reason: 'The fan was paid already.' } },
      }),
    )
