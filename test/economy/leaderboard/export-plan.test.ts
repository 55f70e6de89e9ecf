/** The export of a fan finds their scores by an index, on boards of many fans. */
import { expect, test } from 'bun:test'
import { exportScores } from '../../../src/economy/leaderboard/personal-data.ts'
import { execute, withRawConnection } from '../../db/probe.ts'
import { createClock } from '../../support/clock.ts'
import { engines, noShadow, postgresEngine, sqliteEngine } from '../../support/engines.ts'

const BOARDS = ['2026-11', '2026-W47', 'all']
const FANS = 2_000
const rows = BOARDS.flatMap(board =>
  Array.from({ length: FANS }, (_, n) => ({ board, userId: `fan-${n}`, minusPoints: -n, reachedAt: n })),
)

test.each(engines)('Scores are exported in the order of the boards ($name)', async engine => {
  const { db, remove } = await engine.open(createClock())
  const at = new Date(0)
  await db.write(async tx => {
    const user = { id: 'fan-7', provider: 'test', subject: 'ada', createdAt: at, updatedAt: at }
    await tx.insert(tx.tables.users).values(user)
    await tx.insert(tx.tables.leaderboardScores).values(rows.filter(({ userId }) => userId === user.id))
  })
  expect(await exportScores(db.read, 'fan-7')).toEqual(
    BOARDS.map(board => ({ board, points: 7, reachedAt: new Date(7) })),
  )
  expect(await exportScores(db.read, 'nobody')).toEqual([])
  await remove()
})

test.skipIf(noShadow !== '')(`a few pages of many are read (PostgreSQL)${noShadow}`, async () => {
  const { db, remove } = await postgresEngine.open(createClock())
  const pages = await db.write(async tx => {
    await execute(tx, 'SET LOCAL enable_seqscan = on')
    await execute(
      tx,
      'CREATE TEMP TABLE leaderboard_scores (LIKE leaderboard_scores INCLUDING INDEXES) ON COMMIT DROP',
    )
    // Statements that a kept connection prepared before are planned again for another path, so they find this table.
    await execute(tx, 'SET LOCAL search_path = pg_temp, public')
    for (const board of BOARDS)
      await execute(
        tx,
        `INSERT INTO leaderboard_scores SELECT '${board}', 'fan-' || n, -n, n FROM generate_series(1, 20000) AS n`,
      )
    await execute(tx, 'ANALYZE leaderboard_scores')
    const read = async () => {
      const [row] = await execute(
        tx,
        `SELECT sum(pg_stat_get_xact_blocks_fetched(indexrelid)) + pg_stat_get_xact_blocks_fetched('leaderboard_scores'::regclass) AS pages
         FROM pg_index WHERE indrelid = 'leaderboard_scores'::regclass`,
      )
      return Number(row?.pages)
    }
    const before = await read()
    expect(await exportScores(tx, 'fan-7')).toHaveLength(BOARDS.length)
    return (await read()) - before
  })
  expect(pages).toBeGreaterThan(0)
  // The table alone has some 400.
  expect(pages).toBeLessThanOrEqual(60)
  await remove()
})

test('SQLite searches the scores of a fan by the index', async () => {
  const opened = await sqliteEngine.open(createClock())
  const at = new Date(0)
  await opened.db.write(async tx => {
    const user = { id: 'fan-7', provider: 'test', subject: 'ada', createdAt: at, updatedAt: at }
    await tx.insert(tx.tables.users).values(user)
    await tx.insert(tx.tables.leaderboardScores).values(rows.filter(({ userId }) => userId === user.id))
  })
  const statements: string[] = []
  const { read } = opened.db
  const connection = (read as unknown as { $client: { prepare(text: string): unknown } }).$client
  const { prepare } = connection
  connection.prepare = function (text) {
    statements.push(text)
    return prepare.call(this, text)
  }
  await exportScores(read, 'fan-7')
  connection.prepare = prepare
  const ofFan = statements.filter(
    text => text.includes('"leaderboard_scores"') && text.includes('"user_id" ='),
  )
  expect(ofFan).toHaveLength(1)
  await withRawConnection(opened, async run => {
    const plan = await run(`EXPLAIN QUERY PLAN ${ofFan[0]}`)
    const steps = plan.map(({ detail }) => String(detail)).filter(step => step.includes('leaderboard_scores'))
    expect(steps).toEqual([
      expect.stringMatching(/^SEARCH leaderboard_scores USING PRIMARY KEY \(board=\? AND user_id=\?\)/),
    ])
  })
  await opened.remove()
})
