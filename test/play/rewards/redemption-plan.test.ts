/** On PostgreSQL the partial index finds a redemption code, also by a statement that was planned while there were none. */
import { expect, test } from 'bun:test'
import { lookUpRedemption, rewardCodes } from '../../../src/play/rewards/redemptions.ts'
import { countRowsRead } from '../../db/plans.ts'
import { noShadow } from '../../support/engines.ts'
import { onServer } from '../../support/world.ts'

const ROWS = 5_000

onServer('A lookup by redemption code', world => {
  test.skipIf(noShadow !== '')(`reads the row of one claim${noShadow}`, async () => {
    const read = await world.db.write(tx =>
      countRowsRead(tx, 'user_rewards', {
        query: () => lookUpRedemption(tx, [rewardCodes], '7Q2M-X9KD-4T0B-HW5E').catch(() => {}),
        fill: () =>
          tx.insert(tx.tables.userRewards).values(
            Array.from({ length: ROWS }, (_, n) => ({
              userId: `user-${n}`,
              rewardId: 'scarf',
              claimedAt: tx.now(),
              redeemedAt: tx.now(),
              redemptionCode: n === 0 ? '7Q2M-X9KD-4T0B-HW5E' : `code-${n}`,
            })),
          ),
      }),
    )
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThanOrEqual(2)
  })
})
