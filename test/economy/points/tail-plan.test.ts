/** On PostgreSQL a booking reads the newest entry, also by a statement that was planned before the table had entries. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { GENESIS_HASH } from '../../../src/economy/ledgers/chain.ts'
import { canAppend } from '../../../src/economy/points/account.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { countRowsRead } from '../../db/plans.ts'
import { createClock } from '../../support/clock.ts'
import { noShadow, postgresEngine } from '../../support/engines.ts'

const ENTRIES = 2_000

test.skipIf(noShadow !== '')(
  `The newest entry of a fan with many is found by its index (PostgreSQL)${noShadow}`,
  async () => {
    const { db, remove } = await postgresEngine.open(createClock())
    const fetched = await db.write(async tx => {
      const { user } = await ensureUser(tx, { provider: 'test', subject: 'ada' })
      const { pointsAccounts, pointsEntries } = tx.tables
      return countRowsRead(tx, 'points_entries', {
        query: () => canAppend(tx, user.id, 0),
        async fill() {
          await tx.insert(pointsEntries).values(
            Array.from({ length: ENTRIES }, (_, n) => ({
              ...{ id: `entry-${n}`, userId: user.id, seq: n + 1, delta: 1, balanceAfter: n + 1 },
              ...{ reason: 'activity', ref: `${n}`, createdAt: tx.now(), hash: GENESIS_HASH },
            })),
          )
          await tx.update(pointsAccounts).set({ seq: ENTRIES }).where(eq(pointsAccounts.userId, user.id))
        },
      })
    })
    expect(fetched).toBeLessThanOrEqual(2)
    await remove()
  },
)
