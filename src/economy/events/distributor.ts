/**
 * Distributes events in every process, one process at a time. Events of this process are distributed at once after the
 * commit; `poll` finds what other processes recorded that do not distribute, or that died.
 */
import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import type { GiveWay } from '../../core/give-way.ts'
import { logFailed } from '../../core/loggable.ts'
import type { AppSources } from '../../core/sources.ts'
import { createTurns } from '../../core/turns.ts'
import { anyAwaits, distributeEvents } from './distribute.ts'

interface DistributorDeps {
  db: Database
  log: Logger
  /** Between two units of work. */
  giveWay: GiveWay
  elapsed: AppSources['elapsed']
}

export type Distributor = ReturnType<typeof createDistributor>

export function createDistributor({ db, log, giveWay, elapsed }: DistributorDeps) {
  let stopping = false
  /** Where the next unit of work begins, so that each fan gets a turn, however many events others have. */
  let after: string | null = null

  const turns = createTurns(
    async () => {
      if (stopping) return
      const began = after ?? ''
      after = await db.write(tx => distributeEvents(tx, began))
      if (after !== null || began !== '') void turns.ask()
    },
    { pause: giveWay, elapsed, onError: logFailed(log, 'distribute events') },
  )
  const unsubscribe = db.read.spine.events.awaiting.listen(() => void turns.ask())

  return {
    /** Resolves when everything that waited is distributed. */
    async poll(): Promise<void> {
      if (await anyAwaits(db.read)) await turns.ask()
    },
    async stop(): Promise<void> {
      stopping = true
      unsubscribe()
      await turns.settled()
    },
  }
}
