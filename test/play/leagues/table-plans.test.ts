/** The table of a league looks up the scores of its members, for any number of fans. */
import { beforeAll, expect, test } from 'bun:test'
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Transaction } from '../../../db/index.ts'
import { createCursors } from '../../../src/core/pagination.ts'
import { listLeagues, readLeague } from '../../../src/play/leagues/table.ts'
import { countRowsRead } from '../../db/plans.ts'
import { tablesScanned } from '../../db/sqlite-plan.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine, onServer } from '../../support/world.ts'

const cursors = createCursors('a secret of sufficient length for tests')
const FANS = 1_000
const MEMBERS = 50
const ids = Array.from({ length: FANS }, (_, n) => `fan-${n}`)

async function addLeague(tx: Transaction): Promise<void> {
  const { users, leagues, leagueMembers } = tx.tables
  const at = tx.now()
  const fan = { provider: 'test', createdAt: at, updatedAt: at }
  await insertRows(
    tx,
    users,
    ids.map(id => ({ ...fan, id, subject: id, country: 'GB' })),
  )
  const league = { id: 'league', name: 'Office', code: 'C0DE', ownerId: 'fan-0', scoring: 'points' }
  const counting = { board: 'all', countFrom: 'join', locked: false, members: MEMBERS, createdAt: at }
  await tx.insert(leagues).values({ ...league, ...counting })
  const member = { leagueId: 'league', joinedAt: at, countsFrom: at, baseline: 0 }
  await insertRows(
    tx,
    leagueMembers,
    ids.slice(0, MEMBERS).map((userId, n) => ({ ...member, userId, number: n + 1, matchPoints: 0 })),
  )
}

/** The scores of all fans on a board. */
const fillBoard = (tx: Transaction, board: string) =>
  insertRows(
    tx,
    tx.tables.leaderboardScores,
    ids.map((userId, n) => ({ board, userId, minusPoints: -n, reachedAt: n })),
  )

const automatic = (reader: Reader) =>
  readLeague(reader, cursors, { userId: 'fan-7' }, 'country:GB', { limit: 10 })

const reads = {
  'the table of a league': (reader: Reader) =>
    readLeague(reader, cursors, { userId: 'fan-0' }, 'league', { limit: 10 }),
  'the leagues of a fan': (reader: Reader) => listLeagues(reader, { userId: 'fan-0' }),
}

onEngine(sqliteEngine, 'On SQLite', world => {
  beforeAll(() =>
    world.db.write(async tx => {
      await addLeague(tx)
      await fillBoard(tx, 'country:GB')
    }),
  )

  const all = Object.entries({ ...reads, 'the table of an automatic league': automatic })
  test.each(all)('%s scans no table', async (_, read) => {
    expect(await tablesScanned(world.db, world.databaseUrl, () => read(world.db.read))).toEqual([])
  })
})

onServer('On PostgreSQL', world => {
  beforeAll(() => world.db.write(addLeague))

  test.each(Object.entries(reads))('%s looks up scores', async (_, read) => {
    const found = await world.db.write(tx =>
      countRowsRead(tx, 'leaderboard_scores', {
        query: () => read(tx),
        fill: () => fillBoard(tx, 'all'),
      }),
    )
    // Once each: an index entry and a row.
    expect(found).toBeGreaterThanOrEqual(MEMBERS)
    expect(found).toBeLessThanOrEqual(2 * MEMBERS)
  })
})
