/**
 * A process that votes: `bun racing-process.ts DATABASE_URL JSON`, three units of work at a time. Each fan votes for each of the
 * options in turn, `times` times. With `close`, it closes the question half way. Prints as JSON how many had each outcome.
 */
import { DomainError } from '../../../src/core/problems.ts'
import { realSources } from '../../../src/core/sources.ts'
import { writeAsFan } from '../../../src/identity/sanctions/write-as-fan.ts'
import { closeQuestion } from '../../../src/play/questions/change.ts'
import { writeVote } from '../../../src/play/questions/vote.ts'
import { openPatiently, POOL_SIZE } from '../../support/patience.ts'

interface Work {
  fans: { provider: string; subject: string; userId: string }[]
  questionId: string
  options: string[]
  times: number
  close: boolean
}

const AT_ONCE = 3
const [url = '', given = ''] = process.argv.slice(2)
const { fans, questionId, options, times, close }: Work = JSON.parse(given)
const db = openPatiently(url, realSources, { postgres: { poolSize: POOL_SIZE } })
const outcomes: Record<string, number> = {}
const tasks = Array.from({ length: times }, (_, n) => n).flatMap(n => fans.map(fan => ({ fan, n })))
const half = Math.floor(tasks.length / 2)
let next = 0
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let at = next++; at < tasks.length; at = next++) {
      const task = tasks[at]
      if (!task) break
      const { fan, n } = task
      const optionId = options[n % options.length] ?? ''
      if (close && at === half) await db.write(tx => closeQuestion(tx, questionId))
      let outcome = 'done'
      try {
        await db.write(tx =>
          writeAsFan(tx, fan, { allowedWhenSuspended: false }, caller =>
            writeVote(tx, caller, questionId, { optionId }),
          ),
        )
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        outcome = error.code
      }
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    }
  }),
)
await db.close()
process.stdout.write(JSON.stringify(outcomes))
