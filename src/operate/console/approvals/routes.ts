/** Approvals: waiting actions, and decisions of the second person. */
import type { Cursors } from '../../../core/pagination.ts'
import { Closed } from '../../../core/schemas.ts'
import {
  listApprovals,
  presentApproval,
  refuseApproval,
  requireDecidable,
} from '../../../identity/staff/approvals/approvals.ts'
import { replay } from '../../../identity/staff/approvals/replay.ts'
import {
  Approval,
  ApprovalPage,
  ApprovalParams,
  ApprovalQuery,
  Confirmed,
  Refusal,
} from '../../../identity/staff/approvals/schema.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { thrownBy } from './problems.generated.ts'

type ApprovalDeps = StaffDeps & { cursors: Cursors }

/** `handle`: the handler of the console, which runs the stored request. */
export const approvalRoutes = (deps: ApprovalDeps, handle: (request: Request) => Promise<Response>) =>
  staff(deps, { prefix: '/api/approvals', tag: 'Approvals' })
    .get(
      '',
      ({ query, staff }) => listApprovals(deps.db.read, deps.cursors, staff, query),
      consoleOperation({
        id: 'listApprovals',
        summary: 'List actions that wait for a second person, and the decisions',
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
        summary: 'Confirm and perform an action that another person requested',
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
        summary: 'Refuse the action of another person, or withdraw your own',
        permission: 'approvals.decide',
        params: ApprovalParams,
        body: Refusal,
        responses: { 200: Approval },
        problems: thrownBy.refuseApproval,
        examples: { body: { reason: 'The fan was already paid.' } },
      }),
    )
