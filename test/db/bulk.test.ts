/** Bulk writes on PostgreSQL use the keys of the rows, also by plans that were made while the table was empty. */
import { expect, test } from 'bun:test'
import { asc, eq } from 'drizzle-orm'
import { insertRows, updateRows } from '../../db/bulk.ts'
import type { Transaction } from '../../db/index.ts'
import { createClock } from '../support/clock.ts'
import { noShadow, postgresEngine } from '../support/engines.ts'
import { onEachEngine } from '../support/world.ts'
import { countRowsRead } from './plans.ts'

const teamsOf = (tx: Transaction, from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    ...{ id: `team-${from + n}`, name: `Team ${from + n}`, shortName: 'TST', active: true },
    ...{ createdAt: tx.now(), updatedAt: tx.now() },
  }))

test.skipIf(noShadow !== '')(
  `updateRows reads only the rows that it updates after the table has grown (PostgreSQL)${noShadow}`,
  async () => {
    const { db, remove } = await postgresEngine.open(createClock())
    const fetched = await db.write(tx =>
      countRowsRead(tx, 'teams', {
        query: () =>
          updateRows(
            tx,
            tx.tables.teams,
            teamsOf(tx, 100, 20).map(({ id }) => ({ id, name: 'Renamed' })),
            ['name'],
          ),
        fill: () => insertRows(tx, tx.tables.teams, teamsOf(tx, 0, 3_000)),
      }),
    )
    expect(fetched).toBeGreaterThanOrEqual(20)
    expect(fetched).toBeLessThanOrEqual(40)
    await remove()
  },
)

onEachEngine('updateRows', world => {
  test('sets the named columns of the rows that exist, and keeps those for which null is given', async () => {
    const { teams } = world.db.tables
    await world.db.write(tx => insertRows(tx, teams, teamsOf(tx, 0, 3)))
    await world.db.write(tx =>
      updateRows(
        tx,
        teams,
        [
          { id: 'team-0', name: 'Harbour', shortName: 'HAR' },
          { id: 'team-1', name: undefined, shortName: 'VAL' },
          { id: 'team-9', name: 'Nobody', shortName: 'NOB' },
        ],
        ['name', 'shortName'],
        { keepsNull: true },
      ),
    )
    const rows = await world.db.read
      .select({ id: teams.id, name: teams.name, shortName: teams.shortName, active: teams.active })
      .from(teams)
      .orderBy(asc(teams.id))
    expect(rows).toEqual([
      { id: 'team-0', name: 'Harbour', shortName: 'HAR', active: true },
      { id: 'team-1', name: 'Team 1', shortName: 'VAL', active: true },
      { id: 'team-2', name: 'Team 2', shortName: 'TST', active: true },
    ])
  })
})

onEachEngine('insertRows', world => {
  test('adds to a column of the rows that exist, and leaves those to which nothing is added', async () => {
    const { seasonCounts } = world.db.tables
    const row = { kind: 'bulk', bucket: 1, stated: false }
    const add = (amounts: Record<string, number>) =>
      world.db.write(tx =>
        insertRows(
          tx,
          seasonCounts,
          Object.entries(amounts).map(([name, amount]) => ({ ...row, name, amount })),
          { add: 'amount' },
        ),
      )
    await add({ goals: 2, cards: 1 })
    await add({ goals: 3, cards: 0, saves: -4 })
    const { name, amount, kind } = seasonCounts
    const rows = await world.db.read
      .select({ name, amount })
      .from(seasonCounts)
      .where(eq(kind, 'bulk'))
      .orderBy(asc(name))
    expect(rows).toEqual([
      { name: 'cards', amount: 1 },
      { name: 'goals', amount: 5 },
      { name: 'saves', amount: -4 },
    ])
  })
})
