/** A reminder looks fans up one by one: it reads neither all of their predictions nor those of other fans. */
import { expect, test } from 'bun:test'
import { insertRows } from '../../../db/bulk.ts'
import type { Transaction } from '../../../db/index.ts'
import { selectPredictors } from '../../../src/play/predictions/unpredicted.ts'
import { countRowsRead } from '../../db/plans.ts'
import { tablesScanned } from '../../db/sqlite-plan.ts'
import { createClock } from '../../support/clock.ts'
import { noShadow, postgresEngine, sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

const FANS = 2_000
const MATCHES = 10
const PAGE = 50

const nameOf = (nth: number) => `fan-${String(nth).padStart(5, '0')}`
const matchOf = (nth: number) => `match-${nth}`

async function insertPredictions(tx: Transaction, fans: number, matches: number) {
  const at = tx.now()
  const row = {
    homeScore: 1,
    awayScore: 0,
    createdAt: at,
    changedAt: at,
    state: 'open',
    points: 0,
    booked: 0,
  }
  for (let match = 0; match < matches; match++)
    await insertRows(
      tx,
      tx.tables.predictions,
      Array.from({ length: fans }, (_, nth) => ({ ...row, matchId: matchOf(match), userId: nameOf(nth) })),
    )
}

test.skipIf(noShadow !== '')(
  `A page of fans costs a few look-ups for each of them, also by a plan of the empty table (PostgreSQL)${noShadow}`,
  async () => {
    const { db, remove } = await postgresEngine.open(createClock())
    const read = await db.write(tx =>
      countRowsRead(tx, 'predictions', {
        query: () => selectPredictors(tx, matchOf(0), nameOf(FANS / 2), PAGE),
        fill: () => insertPredictions(tx, FANS, MATCHES),
      }),
    )
    expect(read).toBeGreaterThanOrEqual(2 * PAGE)
    expect(read).toBeLessThanOrEqual(3 * PAGE)
    await remove()
  },
)

onEngine(sqliteEngine, 'A page of fans', world => {
  test('is found by look-ups in indexes', async () => {
    const query = () => selectPredictors(world.db.read, matchOf(0), nameOf(0), PAGE)
    expect(await tablesScanned(world.db, world.databaseUrl, query)).toEqual([])
  })
})
