import { defineProblems } from '../../../core/problems.ts'

export const jobProblems = defineProblems({
  job_running: {
    status: 409,
    title: 'A job of this kind is already running: wait for it, or cancel it',
    description:
      'Only one verification, one backup, one import of each kind, and one replay of each endpoint can run at a time.',
  },
  job_not_found: {
    status: 404,
    title: 'The job is not running',
    description: 'The run has ended, or its id is wrong.',
  },
  run_not_found: {
    status: 404,
    title: 'There is no such run',
    description: 'Runs are kept for 90 days.',
  },
  import_not_tried: {
    status: 409,
    title: 'Try the file first',
    description: 'A file can be imported only after a dry run without failures.',
  },
  import_has_invalid_lines: {
    status: 409,
    title: 'The file has invalid lines',
    description: 'Correct them, or import the others with `skipInvalid`.',
  },
  backup_not_possible: {
    status: 409,
    title: 'The server cannot back up this database',
    description: 'Operators back up PostgreSQL with its own tools, outside of the console.',
  },
  backup_has_no_room: {
    status: 409,
    title: 'The disk has too little space for a backup',
    description: 'Delete old backups on the server, or ask an operator to store backups on another disk.',
  },
})
