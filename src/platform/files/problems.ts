import { defineProblems } from '../../core/problems.ts'

export const fileProblems = defineProblems({
  import_too_large: {
    status: 413,
    title: 'The file is too large',
    description:
      '`detail` states the maximum size. Divide the file, or ask an operator to import it with the command on the server.',
  },
  import_files_full: {
    status: 409,
    title: 'Too many uploaded files are waiting: import them first, or wait a day',
    description: 'Files are deleted after their import, or a day after their upload.',
  },
  import_file_gone: {
    status: 404,
    title: 'The file was deleted: upload it again',
    description: 'It was imported, or it was uploaded more than a day ago.',
  },
  import_file_complete: {
    status: 409,
    title: 'The file was already tried',
    description: 'A file cannot change after its dry run. Upload another file.',
  },
  import_file_incomplete: {
    status: 409,
    title: 'Parts of the file are missing',
    description: 'Send all parts first.',
  },
})
