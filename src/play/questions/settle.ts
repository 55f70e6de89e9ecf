/** Settles the votes of questions that are due. Any number of processes may run this at the same time. */
import { type SettleDeps, settleEach, settleInBatches } from '../../economy/points/settle-in-batches.ts'
import { settleBatch } from './settle-batch.ts'
import { listDueSettlements } from './settlements.ts'

export async function settleQuestions(deps: SettleDeps, stopping: () => boolean = () => false) {
  const { db, log } = deps
  await settleEach(await listDueSettlements(db.read, db.read.now()), questionId =>
    settleInBatches(deps, (tx, fans) => settleBatch(tx, questionId, fans), {
      stopping,
      onMismatched: userId =>
        log.error({ userId, questionId }, 'a vote is not settled: the ledger of the fan is damaged or full'),
    }),
  )
}
