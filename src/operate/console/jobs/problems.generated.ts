/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { jobProblems } from './problems.ts'

export const thrownBy = {
  startVerification: [jobProblems.job_running],
  startBackup: [jobProblems.job_running, jobProblems.backup_not_possible, jobProblems.backup_has_no_room],
  checkImportFile: [
    jobProblems.job_running,
    jobProblems.import_file_gone,
    jobProblems.import_file_incomplete,
  ],
  startImport: [
    jobProblems.job_running,
    jobProblems.import_not_tried,
    jobProblems.import_has_invalid_lines,
    jobProblems.import_file_gone,
  ],
  cancelJob: [jobProblems.job_not_found],
  readJob: [jobProblems.run_not_found],
  announceImportFile: [jobProblems.import_too_large, jobProblems.import_files_full],
  storeImportFilePart: [
    jobProblems.import_file_gone,
    jobProblems.import_file_complete,
    jobProblems.import_too_large,
  ],
} as const
