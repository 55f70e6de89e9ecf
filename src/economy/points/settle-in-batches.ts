/** Settles what is due, batch after batch. Any number of processes may run this at the same time. */
import type { Logger } from 'pino'
import { nextSize } from '../../../db/batches.ts'
import type { Database, Transaction } from '../../../db/index.ts'
import type { AppSources } from '../../core/sources.ts'

/** Fans per batch, adjusted by its duration. Fewer than `min` would hardly end sooner: a batch itself takes as long as 15 fans. */
const FANS = { min: 50, max: 500 }
/** Pause between two batches, so that requests that arrived during a batch can write before the next one. Milliseconds. */
const PAUSE_MS = 2

export interface SettleDeps {
  db: Database
  log: Logger
  elapsed: AppSources['elapsed']
}

/** What a batch has left. */
export interface Batch {
  /** Fans who were not settled, because their accounts do not match their ledgers or are full. */
  mismatched: string[]
  /** Whether another batch can run at once. */
  more: boolean
}

/** Settles each of these, although another one fails. @throws the first failure, at the end */
export async function settleEach(ids: string[], settle: (id: string) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  for (const id of ids) await settle(id).catch(error => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

interface Settling {
  stopping: () => boolean
  onMismatched?: (userId: string) => void
  /** Other numbers of fans in a batch. */
  limits?: typeof FANS
}

/** `settleBatch` settles up to so many fans in a unit of work. Null: nothing is due. */
export async function settleInBatches(
  { db, elapsed }: Pick<SettleDeps, 'db' | 'elapsed'>,
  settleBatch: (tx: Transaction, fans: number) => Promise<Batch | null>,
  { stopping, onMismatched, limits: { min, max } = FANS }: Settling,
): Promise<void> {
  let [more, fans] = [true, min]
  while (more && !stopping()) {
    let began = 0
    const batch = await db.write(tx => {
      began = elapsed()
      return settleBatch(tx, fans)
    })
    more = batch?.more ?? false
    fans = nextSize(db, { size: fans, ms: elapsed() - began }, { min, max })
    for (const userId of batch?.mismatched ?? []) onMismatched?.(userId)
    if (more) await Bun.sleep(PAUSE_MS)
  }
}
