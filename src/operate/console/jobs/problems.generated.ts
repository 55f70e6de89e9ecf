/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { fileProblems } from '../../../platform/files/problems.ts'
import { jobProblems } from './problems.ts'

export const thrownBy = {
  startVerification: [jobProblems.job_running],
  startBackup: [jobProblems.job_running, jobProblems.backup_not_possible, jobProblems.backup_has_no_room],
  checkImportFile: [
    jobProblems.job_running,
    fileProblems.import_file_gone,
    fileProblems.import_file_incomplete,
  ],
  startImport: [
    jobProblems.job_running,
    jobProblems.import_not_tried,
    jobProblems.import_has_invalid_lines,
    fileProblems.import_file_gone,
  ],
  cancelJob: [jobProblems.job_not_found],
  readJob: [jobProblems.run_not_found],
  announceImportFile: [fileProblems.import_too_large, fileProblems.import_files_full],
  storeImportFilePart: [
    fileProblems.import_file_gone,
    fileProblems.import_file_complete,
    fileProblems.import_too_large,
  ],
} as const
