/** Runs of jobs, files for imports, and the repeated tasks of the process. */

import { DomainError } from '../../../core/problems.ts'
import type { AppSources } from '../../../core/sources.ts'
import type { TaskLog } from '../../../core/task-log.ts'
import { announceFile, storePart } from '../../../platform/files/receive-file.ts'
import { PART_BYTES } from '../../../platform/files/stored-file.ts'
import type { RunRow } from '../../../platform/jobs/runs.ts'
import type { Jobs } from '../../admin/jobs/kinds.ts'
import { action, withActions } from '../contract/action.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { thrownBy } from './problems.generated.ts'
import { jobProblems } from './problems.ts'
import { presentRun, readJobs, readRun } from './read.ts'
import * as schema from './schema.ts'
import { startBackup, startCheck, startImport, startJob } from './start.ts'

type JobDeps = StaffDeps & Pick<AppSources, 'newId'> & { jobs: Jobs; tasks: TaskLog }

const reason = 'Before the audit of the season.'
/** A run that was started. */
const starting = {
  permission: 'jobs.write',
  detail: ({ id, kind }: RunRow) => ({ run: id, kind }),
  answer: schema.JobRun,
  status: 202,
  respond: presentRun,
} as const

const changes = ({ jobs, config }: JobDeps) => [
  action({
    ...starting,
    path: '',
    id: 'startVerification',
    summary: 'Verify the ledger, quests or items in the background',
    onePerson: 'It gives nothing.',
    body: schema.StartVerification,
    subject: ({ body: { kind } }) => ({ kind: 'job', id: kind }),
    verb: (tx, { body: { kind }, staff }) => startJob(tx, { jobs, staff }, kind),
    problems: thrownBy.startVerification,
    example: { kind: 'verify-provenance', reason },
  }),
  action({
    ...starting,
    path: '/backups',
    id: 'startBackup',
    summary: 'Back up a SQLite database in the background',
    onePerson: 'It gives nothing.',
    body: schema.StartBackup,
    subject: { kind: 'job', id: 'backup' },
    verb: (tx, { staff }) => startBackup(tx, { jobs, staff }, config),
    problems: thrownBy.startBackup,
    example: { reason },
  }),
  action({
    ...starting,
    path: '/imports/files/:fileId/check',
    id: 'checkImportFile',
    summary: 'Dry run: show what the import of a file would change',
    onePerson: 'It changes nothing.',
    reversible: 'It changes nothing.',
    params: schema.FileParams,
    body: schema.CheckFile,
    subject: ({ params: { fileId } }) => ({ kind: 'import_file', id: fileId }),
    verb: (tx, { body, params: { fileId }, staff }) => startCheck(tx, { jobs, staff }, fileId, body),
    problems: thrownBy.checkImportFile,
    example: { source: 'till' },
  }),
  action({
    ...starting,
    path: '/imports',
    id: 'startImport',
    summary: 'Import a file after its dry run',
    body: schema.StartImport,
    subject: ({ body: { check } }) => ({ kind: 'job_run', id: check }),
    verb: (tx, { body, staff }) => startImport(tx, { jobs, staff }, body),
    problems: thrownBy.startImport,
    example: { check: '01981e2c-7c1f-7000-8000-000000000003', reason },
  }),
  action({
    path: '/:runId/cancel',
    id: 'cancelJob',
    summary: 'Cancel a run',
    permission: 'jobs.write',
    onePerson: 'It gives nothing.',
    params: schema.RunParams,
    body: schema.CancelRun,
    subject: ({ params: { runId } }) => ({ kind: 'job_run', id: runId }),
    verb: async (tx, { params: { runId } }) => {
      if (!(await jobs.cancel(tx, runId))) throw new DomainError(jobProblems.job_not_found)
      return { cancelling: true }
    },
    answer: schema.Cancelled,
    problems: thrownBy.cancelJob,
    example: { reason: 'The match begins.' },
  }),
]

export const jobRoutes = (deps: JobDeps) => {
  const { db } = deps
  const group = staff(deps, { prefix: '/api/jobs', tag: 'Jobs' })
    .get(
      '',
      () => readJobs(deps),
      consoleOperation({
        id: 'listJobs',
        summary: 'List runs, backups, maintenance and repeated tasks',
        permission: 'jobs.read',
        responses: { 200: schema.Jobs },
      }),
    )
    .get(
      '/:runId',
      ({ params: { runId } }) => readRun(db.read, runId),
      consoleOperation({
        id: 'readJob',
        summary: 'Read a run with its stored result',
        permission: 'jobs.read',
        params: schema.RunParams,
        responses: { 200: schema.JobRun },
        problems: thrownBy.readJob,
      }),
    )
    .post(
      '/imports/files',
      async ({ body, act, status }) => {
        const id = deps.newId()
        const file = await act(
          { kind: 'import_file', id },
          undefined,
          tx => announceFile(tx, { id, ...body }, body.command === 'import-catalog' ? 'document' : 'rows'),
          {
            detail: { command: body.command, bytes: body.bytes },
          },
        )
        return status(201, file)
      },
      consoleOperation({
        id: 'announceImportFile',
        summary: 'Start the upload of a file in parts',
        permission: 'jobs.write',
        onePerson: 'A file gives nothing until it is imported.',
        reversible: 'A file that is not imported is deleted a day later.',
        body: schema.AnnounceFile,
        responses: { 201: schema.AnnouncedFile },
        problems: thrownBy.announceImportFile,
        examples: { body: { command: 'import-fans', name: 'fans.csv', bytes: 120 } },
      }),
    )
    .put(
      '/imports/files/:fileId/parts/:part',
      // Not recorded, since the announcement of the file is in the audit log.
      ({ params: { fileId, part }, body }) => storePart(db, fileId, Number(part), body),
      consoleOperation({
        id: 'storeImportFilePart',
        summary: 'Upload a part of a file',
        permission: 'jobs.write',
        onePerson: 'A file gives nothing until it is imported.',
        reversible: 'A file that is not imported is deleted a day later.',
        params: schema.PartParams,
        body: schema.Part,
        maxBodyBytes: PART_BYTES,
        responses: { 200: schema.StoredPart },
        problems: thrownBy.storeImportFilePart,
        examples: { body: {} },
      }),
    )
  return withActions(group, changes(deps))
}
