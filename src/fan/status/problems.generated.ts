/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { accountProblems } from '../../economy/accounts/problems.ts'

export const thrownBy = {
  listAccountEntries: [accountProblems.account_not_found, transportProblems.invalid_cursor],
  readBands: [accountProblems.account_not_found],
  listPriority: [transportProblems.invalid_cursor, accountProblems.account_not_found],
} as const
