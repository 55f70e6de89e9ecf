/** Problems of reports. */
import { defineProblems } from '../../core/problems.ts'

export const moderationProblems = defineProblems({
  cannot_report_yourself: {
    status: 409,
    title: 'This is your own',
    description: 'A fan cannot report themselves or their own locker.',
  },
})

/** For staff: no operation of the API responds with them. */
export const noticeProblems = defineProblems({
  notice_not_found: {
    status: 404,
    title: 'There is no such notice',
    description: 'No notice of illegal content has this id.',
  },
  notice_not_open: {
    status: 409,
    title: 'The notice is not open',
    description: 'The notice was already decided, or there is none with this id.',
  },
})

/** For commands: no operation of the API responds with them. */
export const caseProblems = defineProblems({
  case_not_open: {
    status: 409,
    title: 'The case is not open',
    description: 'The case was already decided, or there is no open report with this id or about this fan.',
  },
})
