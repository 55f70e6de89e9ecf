import { defineProblems } from '../../../core/problems.ts'

export const jobProblems = defineProblems({
  job_running: {
    status: 409,
    title: 'Such a job runs already: wait for it, or cancel it',
    description:
      'One verification runs at a time, one backup, one import of each kind, and one replay of an endpoint. Wait for it, or cancel it.',
  },
  job_not_found: {
    status: 404,
    title: 'No such job runs',
    description: 'The run has ended, or its id is wrong.',
  },
  run_not_found: {
    status: 404,
    title: 'There is no such run',
    description: 'Runs are kept for 90 days.',
  },
  import_too_large: {
    status: 413,
    title: 'The file is too large',
    description: '`detail` says how large it may be. Divide it, or use the command.',
  },
  import_files_full: {
    status: 409,
    title: 'Too many files wait: import them first, or wait a day',
    description: 'A file is deleted after its import, or a day after its upload.',
  },
  import_file_gone: {
    status: 404,
    title: 'The file is gone: upload it again',
    description: 'It was imported, or it was uploaded more than a day ago.',
  },
  import_file_complete: {
    status: 409,
    title: 'The file was tried already',
    description: 'It does not change from then on. Upload another one.',
  },
  import_file_incomplete: {
    status: 409,
    title: 'Parts of the file are missing',
    description: 'Send all parts first.',
  },
  import_not_tried: {
    status: 409,
    title: 'Try the file first',
    description: 'An import needs a dry run of the file that has ended without a failure.',
  },
  import_has_invalid_lines: {
    status: 409,
    title: 'The file has invalid lines',
    description: 'Correct them, or import the others with `skipInvalid`.',
  },
  backup_not_possible: {
    status: 409,
    title: 'The server cannot back up this database',
    description:
      'PostgreSQL is backed up by its own tools, such as `pg_dump`, on a schedule outside of the console.',
  },
  backup_has_no_room: {
    status: 409,
    title: 'The disk has no room for a backup',
    description: 'Delete old backups on the server, or set BACKUPS to a folder of another disk.',
  },
})
