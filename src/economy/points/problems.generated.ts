/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { userProblems } from '../../identity/users/problems.ts'
import { accountProblems } from '../accounts/problems.ts'
import { pointsProblems } from './problems.ts'

export const thrownBy = {
  grantPoints: [
    userProblems.fan_not_found,
    accountProblems.account_not_found,
    pointsProblems.insufficient_points,
    pointsProblems.points_limit_reached,
    pointsProblems.ref_reused,
  ],
  readPoints: [transportProblems.invalid_cursor],
} as const
