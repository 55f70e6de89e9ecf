/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../../core/transport-problems.ts'
import { caseProblems, noticeProblems } from '../../../fan/moderation/problems.ts'
import { appealProblems, sanctionProblems } from '../../../identity/sanctions/problems.ts'
import { userProblems } from '../../../identity/users/problems.ts'

export const thrownBy = {
  listCases: [transportProblems.invalid_cursor],
  readCase: [caseProblems.case_not_open],
  readModerationRecord: [userProblems.fan_not_found],
  listAppeals: [transportProblems.invalid_cursor],
  listNotices: [transportProblems.invalid_cursor],
  decideAboutFan: [
    caseProblems.case_not_open,
    userProblems.fan_not_found,
    sanctionProblems.sanction_not_in_force,
  ],
  liftSanction: [userProblems.fan_not_found, sanctionProblems.sanction_not_in_force],
  decideAppeal: [appealProblems.appeal_not_open, appealProblems.appeal_of_own_decision],
  revealReporter: [caseProblems.case_not_open],
  decideNotice: [
    userProblems.fan_not_found,
    sanctionProblems.sanction_not_in_force,
    caseProblems.case_not_open,
    noticeProblems.notice_not_open,
  ],
  revealNotifier: [noticeProblems.notice_not_found],
  deleteNotifier: [noticeProblems.notice_not_found],
  decideCase: [
    caseProblems.case_not_open,
    userProblems.fan_not_found,
    sanctionProblems.sanction_not_in_force,
  ],
} as const
