/** Runs of jobs, and the repeated tasks of the process. */
import { DomainError } from '../../../core/problems.ts'
import { consoleOperation } from '../contract/operation.ts'
import { staff } from '../contract/staff.ts'
import type { ConsoleDeps } from '../deps.ts'
import { jobProblems } from './problems.ts'
import { presentRun, readJobs } from './read.ts'
import * as schema from './schema.ts'

export const jobRoutes = (deps: ConsoleDeps) =>
  staff(deps, { prefix: '/api/jobs', tag: 'Jobs' })
    .get(
      '',
      () => readJobs(deps.db, deps.tasks),
      consoleOperation({
        id: 'listJobs',
        summary: 'List runs, maintenance and repeated tasks',
        permission: 'jobs.read',
        responses: { 200: schema.Jobs },
      }),
    )
    .post(
      '',
      async ({ body: { kind, reason }, act, staff, set }) => {
        set.status = 202
        const run = await act(
          { kind: 'job', id: kind },
          reason,
          async tx => {
            const started = await deps.jobs.start(tx, kind, {}, staff)
            if (!started) throw new DomainError(jobProblems.job_running)
            return started
          },
          { detail: ({ id }) => ({ run: id }) },
        )
        return presentRun(run)
      },
      consoleOperation({
        id: 'startVerification',
        summary: 'Verify the ledger, quests or items in the background',
        permission: 'jobs.write',
        body: schema.StartVerification,
        responses: { 202: schema.JobRun },
        problems: [jobProblems.job_running],
        examples: { body: { kind: 'verify-provenance', reason: 'Before the audit of the season.' } },
      }),
    )
    .post(
      '/:runId/cancel',
      ({ params: { runId }, body: { reason }, act }) =>
        act({ kind: 'job_run', id: runId }, reason, async tx => {
          if (!(await deps.jobs.cancel(tx, runId))) throw new DomainError(jobProblems.job_not_found)
          return { cancelling: true }
        }),
      consoleOperation({
        id: 'cancelJob',
        summary: 'End a run within seconds',
        permission: 'jobs.write',
        params: schema.RunParams,
        body: schema.CancelRun,
        responses: { 200: schema.Cancelled },
        problems: [jobProblems.job_not_found],
        examples: { body: { reason: 'The match begins.' } },
      }),
    )
