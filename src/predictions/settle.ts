/** Settles what is due, batch after batch. Any number of processes may run this at the same time. */
import type { Logger } from 'pino'
import type { Database } from '../../db/index.ts'
import type { Config } from '../config/config.ts'
import { listDueSettlements } from '../matches/settlements.ts'
import { settleBatch } from './settle-batch.ts'

interface SettleDeps {
  db: Database
  config: Pick<Config, 'predictionPoints'>
  log: Logger
}

export async function settlePredictions(deps: SettleDeps, stopping: () => boolean = () => false) {
  const { read } = deps.db
  const failures: unknown[] = []
  // A match that fails does not hold up the others.
  for (const matchId of await listDueSettlements(read, read.now()))
    await settleMatch(deps, matchId, stopping).catch(error => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

async function settleMatch({ db, config, log }: SettleDeps, matchId: string, stopping: () => boolean) {
  let more = true
  while (more && !stopping()) {
    const batch = await db.write(tx => settleBatch(tx, matchId, config.predictionPoints))
    more = batch?.more ?? false
    for (const userId of batch?.mismatched ?? [])
      log.error({ userId, matchId }, 'a prediction is not settled: the ledger of the fan is damaged')
  }
}
