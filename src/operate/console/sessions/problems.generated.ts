/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { consoleProblems } from '../../../identity/staff/problems.ts'

export const thrownBy = {
  readLink: [consoleProblems.link_not_valid],
  signIn: [consoleProblems.link_not_valid],
  endStaffSession: [consoleProblems.session_not_found],
  inviteStaff: [consoleProblems.own_role],
  changeStaffRole: [
    consoleProblems.own_role,
    consoleProblems.role_of_provider,
    consoleProblems.staff_not_found,
  ],
} as const
