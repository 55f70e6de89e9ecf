/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { userProblems } from '../../identity/users/problems.ts'
import { membershipProblems } from './problems.ts'

export const thrownBy = {
  writeMembership: [
    userProblems.fan_not_found,
    membershipProblems.membership_kind_not_found,
    membershipProblems.membership_of_another_fan,
  ],
  endMembership: [membershipProblems.membership_not_found],
} as const
