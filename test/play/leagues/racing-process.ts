/**
 * A process that acts for fans at the same time: `bun racing-process.ts DATABASE_URL ACTION JSON`, three units of work at a time.
 * `join`: each of the fans joins each of the leagues. `create`: a fan creates leagues. `earn`: fans earn points in turn. Prints as
 * JSON how many had each outcome.
 */
import { createCursors } from '../../../src/core/pagination.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { realSources } from '../../../src/core/sources.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { createLeague, joinLeague } from '../../../src/play/leagues/leagues.ts'
import { removeMember } from '../../../src/play/leagues/members.ts'
import { openPatiently, POOL_SIZE } from '../../support/patience.ts'

interface Work {
  fans: string[]
  /** Codes for `join`, ids for `leave`. */
  leagues: string[]
  times: number
  name: string
}

const AT_ONCE = 3
const [url = '', action = '', given = ''] = process.argv.slice(2)
const { fans, leagues, times, name }: Work = JSON.parse(given)
const db = openPatiently(url, realSources, { postgres: { poolSize: POOL_SIZE } })
const cursors = createCursors('races')
const callerOf = (userId: string) => ({ provider: '', subject: '', userId, isNew: false })
const outcomes: Record<string, number> = {}

const actions: Record<string, (userId: string, league: string, n: number) => Promise<unknown>> = {
  join: (userId, code) => db.write(tx => joinLeague(tx, cursors, callerOf(userId), { code })),
  leave: (userId, id) => db.write(tx => removeMember(tx, callerOf(userId), id, 'me')),
  create: userId =>
    db.write(tx =>
      createLeague(tx, cursors, callerOf(userId), {
        ...{ name: 'Office', scoring: 'points', format: 'table', from: 'join' },
      }),
    ),
  earn: (userId, _, n) =>
    db.write(tx => appendEntry(tx, { userId, delta: 1, reason: 'activity', ref: `${name}-${n}` })),
}

const tasks = Array.from({ length: times }, (_, n) => n).flatMap(n =>
  fans.flatMap(userId => leagues.map(league => ({ userId, league, n }))),
)
let next = 0
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let task = tasks[next++]; task; task = tasks[next++]) {
      const { userId, league, n } = task
      let outcome = 'done'
      try {
        await actions[action]?.(userId, league, n)
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
