/** The heartbeats of jobs, under the control of a test. */
import type { Database } from '../../db/index.ts'
import { turns, waitUntil } from '../support/wait-until.ts'

export interface Heart {
  /** The database for the jobs. Their writes wait while the heart is stopped. */
  db: Database
  /** Once, from now on; what is being written ends first. */
  stop(): Promise<void>
  /** The heart beats again: resolves when a heartbeat is stored, or refused, and the job knows. */
  beat(): Promise<void>
}

export function heartOf(db: Database): Heart {
  let [pending, written] = [0, 0]
  let gate = Promise.withResolvers<void>()
  gate.resolve()
  let stopped = false
  return {
    db: {
      ...db,
      async write(work) {
        await gate.promise
        pending++
        try {
          return await db.write(work)
        } finally {
          pending--
          written++
        }
      },
    },
    async stop() {
      if (stopped) return
      stopped = true
      gate = Promise.withResolvers<void>()
      await turns(1)
      await waitUntil('no write is under way', () => pending === 0)
    },
    async beat() {
      const before = written
      gate.resolve()
      await waitUntil('the heart beats', () => written > before)
    },
  }
}
