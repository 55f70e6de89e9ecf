import { defineProblems } from '../../../core/problems.ts'

export const jobProblems = defineProblems({
  job_running: {
    status: 409,
    title: 'Such a job runs already',
    description: 'One verification runs at a time, and one replay of an endpoint. Wait for it, or cancel it.',
  },
  job_not_found: {
    status: 404,
    title: 'No such job runs',
    description: 'The run has ended, or its id is wrong.',
  },
})
