/** Starts jobs of staff in the background. */
import { join } from 'node:path'
import type { Transaction } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import { sourceFault } from '../../../identity/server-keys/keys.ts'
import type { Staff } from '../../../identity/staff/staff.ts'
import type { Config } from '../../../platform/config/config.ts'
import { backupNameOf, listBackups } from '../../../platform/files/list-backups.ts'
import { fileProblems } from '../../../platform/files/problems.ts'
import { completeFile, lockFile } from '../../../platform/files/receive-file.ts'
import { findRun, type RunRow } from '../../../platform/jobs/runs.ts'
import { isDryRun, isImport } from '../../admin/jobs/import-kinds.ts'
import type { JobKind } from '../../admin/jobs/job-kinds.ts'
import type { JobInput, JobResult } from '../../admin/jobs/kind.ts'
import type { Jobs } from '../../admin/jobs/kinds.ts'
import { jobProblems } from './problems.ts'
import type { CheckFile, StartImport } from './schema.ts'

interface Starting {
  jobs: Jobs
  staff: Staff
}

/** @throws DomainError `job_running` */
export async function startJob(
  tx: Transaction,
  { jobs, staff }: Starting,
  kind: JobKind,
  input: JobInput = {},
): Promise<RunRow> {
  const run = await jobs.start(tx, kind, input, staff)
  if (!run) throw new DomainError(jobProblems.job_running)
  return run
}

/** Starts a dry run of an uploaded file, which says what an import would do. @throws DomainError as `problems` */
export async function startCheck(
  tx: Transaction,
  starting: Starting,
  fileId: string,
  { source, prune, force, dates, columns }: typeof CheckFile.static,
): Promise<RunRow> {
  const { command, name } = await completeFile(tx, fileId)
  if (!isImport(command)) throw new DomainError(fileProblems.import_file_gone)
  const fault = source === undefined || source === 'operator' ? null : sourceFault(source)
  if (fault !== null)
    throw new DomainError(transportProblems.validation_failed, {
      errors: [{ pointer: '/source', message: fault }],
    })
  return startJob(tx, starting, command, {
    file: fileId,
    name,
    dryRun: 'true',
    ...(command === 'import-events' ? { source: source ?? 'operator' } : {}),
    ...(prune ? { prune: 'true' } : {}),
    ...(force ? { force: 'true' } : {}),
    ...(dates ? { dates } : {}),
    ...(columns
      ? { columns: JSON.stringify(Object.fromEntries(columns.map(({ column, name }) => [column, name]))) }
      : {}),
  })
}

/** Imports the file of a dry run, with its options. @throws DomainError as `problems` */
export async function startImport(
  tx: Transaction,
  starting: Starting,
  { check, skipInvalid = false, reason }: typeof StartImport.static,
): Promise<RunRow> {
  const tried = await findRun(tx, check)
  // Guarantee of the casts: only the jobs write these columns.
  const { dryRun, ...input } = JSON.parse(tried?.input ?? '{}') as JobInput
  const { counts } = JSON.parse(tried?.result ?? '{"counts":{}}') as JobResult
  if (!tried || !isImport(tried.kind) || !isDryRun({ dryRun }) || tried.state !== 'done')
    throw new DomainError(jobProblems.import_not_tried)
  if (Number(counts.invalid ?? 0) > 0 && !skipInvalid)
    throw new DomainError(jobProblems.import_has_invalid_lines)
  await lockFile(tx, input.file ?? '')
  return startJob(tx, starting, tried.kind, {
    ...input,
    check,
    reason,
    ...(skipInvalid ? { skipInvalid: 'true' } : {}),
  })
}

/** @throws DomainError as `problems` */
export async function startBackup(
  tx: Transaction,
  starting: Starting,
  { backups }: Pick<Config, 'backups'>,
): Promise<RunRow> {
  if (!backups)
    throw new DomainError(jobProblems.backup_not_possible, {
      detail: 'PostgreSQL is backed up by its own tools, such as pg_dump, outside of the console.',
    })
  const { databaseBytes, freeBytes, folder } = listBackups(backups)
  if (freeBytes < databaseBytes)
    throw new DomainError(jobProblems.backup_has_no_room, {
      detail: `${folder} has ${freeBytes} bytes free, and the database has ${databaseBytes}. Delete old backups on the server, or set BACKUPS to a folder of another disk.`,
    })
  return startJob(tx, starting, 'backup', { file: join(folder, backupNameOf(backups, tx.now())) })
}
