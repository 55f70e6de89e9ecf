/** The table of a league looks up the scores of its members, for any number of fans. */
import { beforeAll, expect, test } from 'bun:test'
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Transaction } from '../../../db/index.ts'
import { createCursors } from '../../../src/core/pagination.ts'
import { readBoardPage } from '../../../src/economy/leaderboard/page.ts'
import { listAutomatic } from '../../../src/play/leagues/automatic.ts'
import { listLeagues, readLeague } from '../../../src/play/leagues/table.ts'
import { countComparedPairs, countRowsRead } from '../../db/plans.ts'
import { execute } from '../../db/probe.ts'
import { tablesScanned } from '../../db/sqlite-plan.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine, onServer } from '../../support/world.ts'

const cursors = createCursors('a secret of sufficient length for tests')
const FANS = 1_000
const MEMBERS = 50
const ids = Array.from({ length: FANS }, (_, n) => `fan-${n}`)

async function addFans(tx: Transaction): Promise<void> {
  const at = tx.now()
  const fan = { provider: 'test', createdAt: at, updatedAt: at }
  await insertRows(
    tx,
    tx.tables.users,
    ids.map(id => ({ ...fan, id, subject: id, country: 'GB' })),
  )
}

async function addLeague(tx: Transaction, competition: string | null = null): Promise<void> {
  const { leagues, leagueMembers } = tx.tables
  const at = tx.now()
  const id = competition ?? 'league'
  const league = { id, name: 'Office', code: id, ownerId: 'fan-0', scoring: 'points', competition }
  const counting = { board: 'all', countFrom: 'join', locked: false, members: MEMBERS, createdAt: at }
  await tx.insert(leagues).values({ ...league, ...counting })
  const member = { leagueId: id, joinedAt: at, countsFrom: at, baseline: 0 }
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
      await addFans(tx)
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
  beforeAll(() =>
    world.db.write(async tx => {
      await addFans(tx)
      await addLeague(tx)
    }),
  )

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
  test('the table of an automatic league reads a page of its board', async () => {
    const found = await world.db.write(tx =>
      countRowsRead(tx, 'leaderboard_scores', {
        // The fan has no place while the board is empty.
        query: async () => {
          await listAutomatic(tx, { userId: 'fan-7' })
          await readBoardPage(tx, cursors, 'country:GB', { limit: 10 })
        },
        fill: () => fillBoard(tx, 'country:GB'),
      }),
    )
    // A page, one row more, and the place of the fan.
    expect(found).toBeLessThanOrEqual(30)
  })

  test('the table of a league of a competition compares no member with each other one', async () => {
    const compared = await world.db.write(async tx => {
      for (const table of ['matches', 'predictions', 'league_members'])
        await execute(tx, `CREATE TEMP TABLE ${table} (LIKE ${table} INCLUDING INDEXES) ON COMMIT DROP`)
      const at = tx.now()
      const stamps = { createdAt: at, updatedAt: at }
      const teams = { homeTeamId: 'home', awayTeamId: 'away', status: 'finished', revision: 1, active: true }
      await tx
        .insert(tx.tables.matches)
        .values({ ...teams, ...stamps, id: 'final', season: '2026', kickoffAt: at, competition: 'Cup' })
      const scores = { matchId: 'final', homeScore: 1, awayScore: 0, state: 'settled', points: 3, booked: 3 }
      await insertRows(
        tx,
        tx.tables.predictions,
        ids.map(userId => ({
          ...scores,
          userId,
          createdAt: at,
          changedAt: at,
          settledAt: at,
          settledBy: 1,
          exact: true,
        })),
      )
      // By its statistics a league has one member.
      const alone = { joinedAt: at, countsFrom: at, baseline: 0, matchPoints: 0, number: 1 }
      await insertRows(
        tx,
        tx.tables.leagueMembers,
        ids.map(userId => ({ ...alone, leagueId: userId, userId })),
      )
      await execute(tx, 'ANALYZE league_members')
      await addLeague(tx, 'Cup')
      return countComparedPairs(tx, () => readLeague(tx, cursors, { userId: 'fan-0' }, 'Cup', { limit: 10 }))
    })
    expect(compared).toBeLessThanOrEqual(4 * MEMBERS)
  })
})
