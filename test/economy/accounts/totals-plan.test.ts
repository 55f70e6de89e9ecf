/** The total of a fan reads each of their entries once, whatever plan the server keeps. */
import { expect, test } from 'bun:test'
import { readTotals, sumEntries } from '../../../src/economy/accounts/totals.ts'
import { countRowsRead } from '../../db/plans.ts'
import { onServer } from '../../support/world.ts'
import { addFan } from '../rules/rules-world.ts'
import { addAccount } from './accounts-world.ts'

const ENTRIES = 400

onServer('The total of a fan', world => {
  test.each([
    ['alone', sumEntries],
    ['with its time', readTotals],
  ])('reads each entry once, by a plan that was made for fans with few (%s)', async (_, readBy) => {
    const accountId = await addAccount(world, { window: null })
    const userId = await addFan(world)
    const { rows, total } = await world.db.write(async tx => {
      const read = () => readBy(tx, { accountId, from: null }, [userId])
      const fill = async () => {
        const at = tx.now()
        const of = (n: number) => ({
          seq: n + 1,
          delta: 1,
          balanceAfter: n + 1,
          reason: 'rule',
          ref: `rule-${n}`,
        })
        await tx.insert(tx.tables.accountEntries).values(
          Array.from({ length: ENTRIES }, (_, n) => ({
            ...{ id: tx.newId(), userId, accountId, countedAt: at, createdAt: at, hash: '' },
            ...of(n),
          })),
        )
      }
      const rowsRead = await countRowsRead(tx, 'account_entries', { query: read, fill })
      return { rows: rowsRead, total: (await read()).get(userId) }
    })
    expect(typeof total === 'number' ? total : total?.total).toBe(ENTRIES)
    expect(rows).toBeGreaterThanOrEqual(ENTRIES)
    // Index entries count as rows.
    expect(rows).toBeLessThanOrEqual(3 * ENTRIES)
  })
})
