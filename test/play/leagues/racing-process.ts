/**
 * A process that acts for fans at the same time: `bun racing-process.ts DATABASE_URL ACTION JSON`, three units of work at a time.
 * `join`: each of the fans joins each of the leagues. `create`: a fan creates leagues. `earn`: fans earn points in turn. `kick`, `ban`,
 * `unban`, `hand`: each of the fans does so to each of the handles, as far as they own the league. `erase`: the fans are erased. Prints
 * as JSON how many had each outcome.
 */

import type { Transaction } from '../../../db/index.ts'
import type { Caller } from '../../../src/core/caller.ts'
import { createCursors } from '../../../src/core/pagination.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { realSources } from '../../../src/core/sources.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { lockFan } from '../../../src/identity/users/locks.ts'
import { changeLeague, createLeague, joinLeague } from '../../../src/play/leagues/leagues.ts'
import { banFan, endBan, removeMember } from '../../../src/play/leagues/members.ts'
import { openPatiently, POOL_SIZE } from '../../support/patience.ts'

interface Work {
  fans: string[]
  /** Codes for `join`, ids for the others. */
  leagues: string[]
  /** Of the fans that are removed, banned or get the league. */
  handles: string[]
  times: number
  name: string
}

interface Task {
  userId: string
  league: string
  handle: string
  n: number
}

const AT_ONCE = 3
const [url = '', action = '', given = ''] = process.argv.slice(2)
const { fans, leagues, handles, times, name }: Work = JSON.parse(given)
const db = openPatiently(url, realSources, { postgres: { poolSize: POOL_SIZE } })
const cursors = createCursors('races')
const callerOf = (userId: string) => ({ provider: '', subject: '', userId, isNew: false })
const outcomes: Record<string, number> = {}

/** As a request of the fan: the record is locked first. */
const asFan = (userId: string, work: (tx: Transaction, caller: Caller) => Promise<unknown>) =>
  db.write(async tx => ((await lockFan(tx, userId)) ? work(tx, callerOf(userId)) : undefined))

const actions: Record<string, (task: Task) => Promise<unknown>> = {
  join: ({ userId, league: code }) =>
    asFan(userId, (tx, caller) => joinLeague(tx, cursors, caller, { code })),
  leave: ({ userId, league }) => asFan(userId, (tx, caller) => removeMember(tx, caller, league, 'me')),
  kick: ({ userId, league, handle }) =>
    asFan(userId, (tx, caller) => removeMember(tx, caller, league, handle)),
  ban: ({ userId, league, handle }) => asFan(userId, (tx, caller) => banFan(tx, caller, league, handle)),
  unban: ({ userId, league, handle }) => asFan(userId, (tx, caller) => endBan(tx, caller, league, handle)),
  hand: ({ userId, league, handle }) =>
    asFan(userId, (tx, caller) => changeLeague(tx, cursors, caller, league, { owner: handle })),
  erase: ({ userId }) => db.write(tx => eraseUser(tx, { id: userId })),
  create: ({ userId }) =>
    db.write(tx =>
      createLeague(tx, cursors, callerOf(userId), {
        ...{ name: 'Office', scoring: 'points', format: 'table', from: 'join' },
      }),
    ),
  earn: ({ userId, n }) =>
    db.write(tx => appendEntry(tx, { userId, delta: 1, reason: 'activity', ref: `${name}-${n}` })),
}

const tasks = Array.from({ length: times }, (_, n) => n).flatMap(n =>
  fans.flatMap(userId => leagues.flatMap(league => handles.map(handle => ({ userId, league, handle, n })))),
)
let next = 0
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let task = tasks[next++]; task; task = tasks[next++]) {
      let outcome = 'done'
      try {
        await actions[action]?.(task)
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
