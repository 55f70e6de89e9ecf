/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { messageProblems } from './problems.ts'

export const thrownBy = {
  listInbox: [transportProblems.invalid_cursor],
  deleteMessage: [messageProblems.message_not_found],
} as const
