/** Settles the predictions of matches that are due. Any number of processes may run this at the same time. */
import { listDueSettlements } from '../../club/matches/settlements.ts'
import { type SettleDeps, settleEach, settleInBatches } from '../../economy/points/settle-in-batches.ts'
import { pointsOfMatch } from './score.ts'
import { settleBatch } from './settle-batch.ts'
import { freezeDueSplits } from './split.ts'

export async function settlePredictions(deps: SettleDeps, stopping: () => boolean = () => false) {
  const { db, log } = deps
  await freezeDueSplits(db)
  await settleEach(await listDueSettlements(db.read, db.read.now()), async matchId => {
    // Its result may have come after the others were frozen.
    await freezeDueSplits(db, matchId)
    await settleInBatches(
      deps,
      async (tx, fans) => settleBatch(tx, matchId, await pointsOfMatch(tx, matchId), fans),
      {
        stopping,
        onMismatched: userId =>
          log.error(
            { userId, matchId },
            'a prediction is not settled: the ledger of the fan is damaged or full',
          ),
      },
    )
  })
}
