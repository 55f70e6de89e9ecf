/** Runs of jobs, files for imports, and the repeated tasks of the process. */
import { DomainError } from '../../../core/problems.ts'
import { PART_BYTES } from '../../admin/import/limits.ts'
import { consoleOperation } from '../contract/operation.ts'
import { staff } from '../contract/staff.ts'
import type { ConsoleDeps } from '../deps.ts'
import { announceFile, storePart } from './files.ts'
import { jobProblems } from './problems.ts'
import { presentRun, readJobs, readRun } from './read.ts'
import * as schema from './schema.ts'
import { startBackup, startCheck, startImport, startJob } from './start.ts'

const reason = 'Before the audit of the season.'
/** For the audit log. */
const started = { detail: ({ id, kind }: { id: string; kind: string }) => ({ run: id, kind }) }

export const jobRoutes = (deps: ConsoleDeps) => {
  const { db, jobs } = deps
  return staff(deps, { prefix: '/api/jobs', tag: 'Jobs' })
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
        summary: 'A run with all that was kept of its result',
        permission: 'jobs.read',
        params: schema.RunParams,
        responses: { 200: schema.JobRun },
        problems: [jobProblems.run_not_found],
      }),
    )
    .post(
      '',
      async ({ body: { kind, reason }, act, staff, status }) => {
        const subject = { kind: 'job', id: kind }
        return status(
          202,
          presentRun(await act(subject, reason, tx => startJob(tx, { jobs, staff }, kind), started)),
        )
      },
      consoleOperation({
        id: 'startVerification',
        summary: 'Verify the ledger, quests or items in the background',
        permission: 'jobs.write',
        onePerson: 'It gives nothing.',
        body: schema.StartVerification,
        responses: { 202: schema.JobRun },
        problems: startJob.problems,
        examples: { body: { kind: 'verify-provenance', reason } },
      }),
    )
    .post(
      '/backups',
      async ({ body, act, staff, status }) => {
        const subject = { kind: 'job', id: 'backup' }
        const run = await act(
          subject,
          body.reason,
          tx => startBackup(tx, { jobs, staff }, deps.config),
          started,
        )
        return status(202, presentRun(run))
      },
      consoleOperation({
        id: 'startBackup',
        summary: 'Back up a SQLite database in the background',
        permission: 'jobs.write',
        onePerson: 'It gives nothing.',
        body: schema.StartBackup,
        responses: { 202: schema.JobRun },
        problems: startBackup.problems,
        examples: { body: { reason } },
      }),
    )
    .post(
      '/imports/files',
      async ({ body, act, status }) => {
        const id = deps.newId()
        const file = await act(
          { kind: 'import_file', id },
          undefined,
          tx => announceFile(tx, { id, ...body }),
          {
            detail: { command: body.command, bytes: body.bytes },
          },
        )
        return status(201, file)
      },
      consoleOperation({
        id: 'announceImportFile',
        summary: 'Announce a file, which is then sent in parts',
        permission: 'jobs.write',
        onePerson: 'A file gives nothing until it is imported.',
        reversible: 'A file that is not imported is deleted a day later.',
        body: schema.AnnounceFile,
        responses: { 201: schema.AnnouncedFile },
        problems: announceFile.problems,
        examples: { body: { command: 'import-fans', name: 'fans.csv', bytes: 120 } },
      }),
    )
    .put(
      '/imports/files/:fileId/parts/:part',
      // Its announcement is in the audit log.
      ({ params: { fileId, part }, body }) => storePart(db, fileId, Number(part), body),
      consoleOperation({
        id: 'storeImportFilePart',
        summary: 'Send a part of a file',
        permission: 'jobs.write',
        onePerson: 'A file gives nothing until it is imported.',
        reversible: 'A file that is not imported is deleted a day later.',
        params: schema.PartParams,
        body: schema.Part,
        maxBodyBytes: PART_BYTES,
        responses: { 200: schema.StoredPart },
        problems: storePart.problems,
        examples: { body: {} },
      }),
    )
    .post(
      '/imports/files/:fileId/check',
      async ({ params: { fileId }, body, act, staff, status }) => {
        const subject = { kind: 'import_file', id: fileId }
        const run = await act(
          subject,
          undefined,
          tx => startCheck(tx, { jobs, staff }, fileId, body),
          started,
        )
        return status(202, presentRun(run))
      },
      consoleOperation({
        id: 'checkImportFile',
        summary: 'Try a file: what would its import do?',
        permission: 'jobs.write',
        onePerson: 'It changes nothing.',
        reversible: 'It changes nothing.',
        params: schema.FileParams,
        body: schema.CheckFile,
        responses: { 202: schema.JobRun },
        problems: startCheck.problems,
        examples: { body: { source: 'till' } },
      }),
    )
    .post(
      '/imports',
      async ({ body, act, staff, status }) => {
        const subject = { kind: 'job_run', id: body.check }
        const run = await act(subject, body.reason, tx => startImport(tx, { jobs, staff }, body), started)
        return status(202, presentRun(run))
      },
      consoleOperation({
        id: 'startImport',
        summary: 'Import a file that was tried',
        permission: 'jobs.write',
        body: schema.StartImport,
        responses: { 202: schema.JobRun },
        problems: startImport.problems,
        examples: { body: { check: '01981e2c-7c1f-7000-8000-000000000003', reason } },
      }),
    )
    .post(
      '/:runId/cancel',
      ({ params: { runId }, body: { reason }, act }) =>
        act({ kind: 'job_run', id: runId }, reason, async tx => {
          if (!(await jobs.cancel(tx, runId))) throw new DomainError(jobProblems.job_not_found)
          return { cancelling: true }
        }),
      consoleOperation({
        id: 'cancelJob',
        summary: 'End a run within seconds',
        permission: 'jobs.write',
        onePerson: 'It gives nothing.',
        params: schema.RunParams,
        body: schema.CancelRun,
        responses: { 200: schema.Cancelled },
        problems: [jobProblems.job_not_found],
        examples: { body: { reason: 'The match begins.' } },
      }),
    )
}
