/** Problems of references to fans. */
import { defineProblems } from '../../core/problems.ts'
import { OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

export const MERGE_BLOCKERS = [
  'same_fan',
  'already_merged',
  'sanction_in_force',
  'report_open',
  'appeal_open',
  'archived',
] as const

export const userProblems = defineProblems({
  fan_not_found: {
    status: 404,
    title: 'There is no such fan',
    description:
      'No fan has this handle or `userId`, the fan was erased, `email` is not the verified address of one fan, or `provider` is not the identity provider of this API. Correct the request.',
  },
  fans_not_mergeable: {
    status: 409,
    title: 'These fans cannot be merged',
    description:
      'Both are the same fan, one of them was merged before, or moderators have not decided: a sanction of the fan to be merged is in force, or there is an open report about either or an open appeal of the fan. Decide these first. Or the past of either is archived: restore it first. `blockedBy` states which.',
    members: Type.Object({
      blockedBy: Type.Array(OneOf(MERGE_BLOCKERS, { description: 'What prevents the merge.' })),
    }),
    example: { blockedBy: ['report_open'] },
  },
})
