/** Problems of sanctions and appeals. */
import { defineProblems } from '../../core/problems.ts'

export const sanctionProblems = defineProblems({
  sanction_not_found: {
    status: 404,
    title: 'There is no such sanction',
    description: 'The caller has no sanction with this id. Use an id from `GET /api/user/sanctions`.',
  },
  sanction_not_in_force: {
    status: 409,
    title: 'The sanction is not in force',
    description: 'It has ended or was lifted: there is nothing to appeal against.',
  },
  already_appealed: {
    status: 409,
    title: 'You have appealed against this already',
    description: 'A fan can appeal once against each sanction. `GET /api/user/sanctions` shows the result.',
  },
})

/** For commands: no operation of the API responds with them. */
export const appealProblems = defineProblems({
  appeal_not_open: {
    status: 409,
    title: 'The appeal is not open',
    description: 'The appeal was already decided, or no appeal has this id.',
  },
  appeal_of_own_decision: {
    status: 409,
    title: 'Another person must decide this appeal',
    description:
      'The person who decided the sanction cannot decide the appeal, nor can a person who may be the same: someone who signs in another way, or who got the link of the other.',
  },
})
