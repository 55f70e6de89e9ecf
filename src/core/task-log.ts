/**
 * The last runs of the repeated tasks of this process, for operators. They are kept in memory, separately in
 * each process.
 */
import type { AppSources } from './sources.ts'

export interface TaskRuns {
  task: string
  everyMs: number
  /** Null: it has not run. */
  startedAt: Date | null
  /** Duration of the last run that ended. */
  tookMs: number | null
  isRunning: boolean
  runs: number
  failures: number
  /** The result of the last run that ended; null before the first. */
  succeeded: boolean | null
  /** When it last failed. */
  failedAt: Date | null
}

export type TaskLog = ReturnType<typeof createTaskLog>

export function createTaskLog({ now, elapsed }: Pick<AppSources, 'now' | 'elapsed'>) {
  const tasks = new Map<string, TaskRuns>()
  return {
    /** The same task, whose runs are noted. */
    watch(task: string, everyMs: number, run: () => Promise<unknown>): () => Promise<unknown> {
      const state: TaskRuns = {
        task,
        everyMs,
        startedAt: null,
        tookMs: null,
        isRunning: false,
        runs: 0,
        failures: 0,
        succeeded: null,
        failedAt: null,
      }
      tasks.set(task, state)
      return async () => {
        const began = elapsed()
        Object.assign(state, { startedAt: now(), isRunning: true })
        try {
          await run()
          state.succeeded = true
        } catch (error) {
          Object.assign(state, { succeeded: false, failedAt: now(), failures: state.failures + 1 })
          throw error
        } finally {
          Object.assign(state, { isRunning: false, tookMs: elapsed() - began, runs: state.runs + 1 })
        }
      }
    },
    /** In the order of their start. */
    list: (): TaskRuns[] => [...tasks.values()].map(state => ({ ...state })),
  }
}
