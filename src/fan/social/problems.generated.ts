/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { userProblems } from '../../identity/users/problems.ts'

export const thrownBy = {
  readFeed: [transportProblems.invalid_cursor],
  readFan: [userProblems.fan_not_found],
} as const
