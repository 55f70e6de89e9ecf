/** Maintenance runs, and runs of jobs. */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from '../columns.ts'

export function defineJobsTables(kit: ColumnKit) {
  const { table, id, integer, text, timestamp } = kit

  /** Time of the last success of each maintenance command, for the metrics. */
  const maintenanceRuns = table('maintenance_runs', {
    /** `backup`, `verify-ledger` or the like. */
    command: id().primaryKey(),
    finishedAt: timestamp().notNull(),
  })

  /** Work that staff started and that outlives their request. A run whose heartbeat is old belongs to a process that died. */
  const jobRuns = table(
    'job_runs',
    {
      id: id().primaryKey(),
      /** Such as `verify-ledger`. */
      kind: id().notNull(),
      /** JSON: its parameters, such as ids, times, options and the name of a file. */
      input: text(),
      /** `running`, `done`, `failed` or `cancelled`. */
      state: id().notNull(),
      /** Set while it runs: only one run with the same value runs at a time, in all processes. */
      slot: id(),
      startedById: id().notNull(),
      startedByName: text().notNull(),
      startedAt: timestamp().notNull(),
      /** The last time when its process was known to be alive. */
      heartbeatAt: timestamp().notNull(),
      endedAt: timestamp(),
      /** Progress towards `total`, in the unit of the kind. */
      done: integer().notNull().default(0),
      total: integer(),
      cancelRequestedAt: timestamp(),
      /** JSON: its findings or changes, also for an import that failed because of invalid lines. */
      result: text(),
      /** Why it failed, for operators. */
      error: text(),
    },
    t => [
      kit.index('job_runs_started').on(t.startedAt, t.id),
      kit.uniqueIndex('job_runs_slot_unique').on(t.slot),
      kit.check('job_runs_state', sql`${t.state} in ('running', 'done', 'failed', 'cancelled')`),
      kit.check('job_runs_ended', sql`(${t.endedAt} is null) = (${t.state} = 'running')`),
      kit.check('job_runs_has_slot', sql`(${t.slot} is null) = (${t.state} <> 'running')`),
    ],
  )

  return { maintenanceRuns, jobRuns }
}
