/** Settles what is due, batch after batch. Any number of processes may run this at the same time. */
import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import type { AppSources } from '../../core/sources.ts'
import { settleBatch } from './settle-batch.ts'
import { listDueSettlements } from './settlements.ts'

/**
 * Fans per batch, adjusted so that a batch with its commit takes about `ms` milliseconds. Other writers on SQLite, and
 * writers of the same fans and buckets, wait for a whole batch.
 */
const FANS = { first: 50, min: 10, max: 500, ms: 25 }
/** Pause between two batches, so that requests that arrived during a batch can write before the next one. Milliseconds. */
const PAUSE_MS = 2

interface SettleDeps {
  db: Database
  log: Logger
  elapsed: AppSources['elapsed']
}

export async function settleQuestions(deps: SettleDeps, stopping: () => boolean = () => false) {
  const { read } = deps.db
  const failures: unknown[] = []
  // A question that fails does not hold up the others.
  for (const questionId of await listDueSettlements(read, read.now()))
    await settleQuestion(deps, questionId, stopping).catch(error => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

async function settleQuestion({ db, log, elapsed }: SettleDeps, questionId: string, stopping: () => boolean) {
  let [more, fans] = [true, FANS.first]
  while (more && !stopping()) {
    let began = 0
    const batch = await db.write(tx => {
      began = elapsed()
      return settleBatch(tx, questionId, fans)
    })
    const ms = Math.max(elapsed() - began, 1)
    more = batch?.more ?? false
    fans = Math.min(Math.max(Math.round((fans * FANS.ms) / ms), FANS.min), FANS.max, 2 * fans)
    for (const userId of batch?.mismatched ?? [])
      log.error({ userId, questionId }, 'a vote is not settled: the ledger of the fan is damaged or full')
    if (more) await Bun.sleep(PAUSE_MS)
  }
}
