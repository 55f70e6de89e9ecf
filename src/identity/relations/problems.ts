/** Problems of what fans are to each other. */
import { MAX_FOLLOWED } from '../../../db/schema/identity/relations.ts'
import { defineProblems } from '../../core/problems.ts'

export const relationProblems = defineProblems({
  cannot_follow_yourself: {
    status: 409,
    title: 'This is your own handle',
    description: 'A fan cannot follow, mute or block themselves.',
  },
  follow_limit_reached: {
    status: 409,
    title: 'You follow as many fans as you can',
    description: `A fan follows at most ${MAX_FOLLOWED} others. Stop following one of them first.`,
  },
})
