/**
 * A process that predicts at the same time as others: `bun predicting-process.ts DATABASE_URL JSON`. It puts the joker of the fan on one
 * match after the other, until predictions are closed, and then writes the splits. Prints as JSON how many had each outcome. It
 * sets the deadline once all processes predict, and only then predicts without a pause: on SQLite it would keep the others from their start.
 */
import { and, gt, inArray } from 'drizzle-orm'
import { DomainError } from '../../../src/core/problems.ts'
import { realSources } from '../../../src/core/sources.ts'
import { writePrediction } from '../../../src/play/predictions/predict.ts'
import { freezeDueSplits } from '../../../src/play/predictions/split.ts'
import { openPatiently, POOL_SIZE } from '../../support/patience.ts'
import { waitUntil } from '../../support/wait-until.ts'

interface Work {
  /** The last one is of this process alone. */
  fans: string[]
  matches: string[]
  /** One of each process. */
  starters: string[]
}

/** From when all processes predict to the deadline. Processes have the clock of the machine. */
const OPEN_MS = 1_500

const [url = '', given = ''] = process.argv.slice(2)
const { fans, matches, starters }: Work = JSON.parse(given)
const db = openPatiently(url, realSources, { postgres: { poolSize: POOL_SIZE } })
const callerOf = (userId: string) => ({ provider: '', subject: '', userId, isNew: false })
const outcomes: Record<string, number> = {}
const [own = ''] = fans.slice(-1)

/** Returns whether predictions are open. */
async function predict(userId: string, next: number): Promise<boolean> {
  const matchId = matches[next % matches.length] ?? ''
  const scores = { homeScore: next % 3, awayScore: next % 2, joker: next % 2 === 0 }
  let outcome = 'done'
  try {
    await db.write(tx => writePrediction(tx, callerOf(userId), matchId, scores))
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    outcome = error.code
  }
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  return outcome !== 'prediction_closed'
}

const { predictions, matches: table } = db.tables
await predict(own, 0)
await waitUntil('all processes predict', async () => {
  const isStarter = inArray(predictions.userId, starters)
  const started = await db.read.selectDistinct({ id: predictions.userId }).from(predictions).where(isStarter)
  return started.length === starters.length
})
const kickoffAt = new Date(Date.now() + OPEN_MS)
const isLater = and(inArray(table.id, matches), gt(table.kickoffAt, kickoffAt))
await db.write(tx => tx.update(table).set({ kickoffAt }).where(isLater))

await Promise.all(
  fans.map(async (userId, first) => {
    let next = first
    while (await predict(userId, next)) next++
  }),
)
await freezeDueSplits(db)
await db.close()
process.stdout.write(JSON.stringify(outcomes))
