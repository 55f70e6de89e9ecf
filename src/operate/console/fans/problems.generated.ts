/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../../core/transport-problems.ts'
import { accountProblems } from '../../../economy/accounts/problems.ts'
import { eventProblems } from '../../../economy/events/problems.ts'
import { userProblems } from '../../../identity/users/problems.ts'

export const thrownBy = {
  readPriorityTerms: [accountProblems.account_not_found],
  exportPriority: [accountProblems.account_not_found],
  readFan: [userProblems.fan_not_found],
  readFanTimeline: [userProblems.fan_not_found, transportProblems.invalid_cursor],
  explainFanEvent: [eventProblems.event_not_found],
  listFanPoints: [userProblems.fan_not_found, transportProblems.invalid_cursor],
  readFanAccounts: [userProblems.fan_not_found],
  listFanAccountEntries: [
    userProblems.fan_not_found,
    accountProblems.account_not_found,
    transportProblems.invalid_cursor,
  ],
  listFanCards: [userProblems.fan_not_found, transportProblems.invalid_cursor],
  explainFanMessages: [userProblems.fan_not_found],
  readFanConsents: [userProblems.fan_not_found],
  listFanMemberships: [userProblems.fan_not_found],
  readFanRecord: [userProblems.fan_not_found],
} as const
