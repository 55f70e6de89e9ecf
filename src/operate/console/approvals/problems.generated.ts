/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../../core/transport-problems.ts'
import { consoleProblems } from '../../../identity/staff/problems.ts'

export const thrownBy = {
  listApprovals: [transportProblems.invalid_cursor],
  confirmApproval: [
    consoleProblems.approval_not_found,
    consoleProblems.approval_closed,
    consoleProblems.own_approval,
  ],
  refuseApproval: [
    consoleProblems.approval_not_found,
    consoleProblems.approval_closed,
    consoleProblems.own_approval,
  ],
} as const
