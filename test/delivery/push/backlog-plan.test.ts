/** Pushes that wait cost what a turn takes of them, also if all of them are due at once. */
import { expect, test } from 'bun:test'
import { enqueuePushes } from '../../../src/delivery/push/enqueue.ts'
import { takeTurn } from '../../../src/delivery/push/turn.ts'
import { rowsRead } from '../../db/plans.ts'
import { onServer } from '../../support/world.ts'
import { manyFans, pushOf } from './push-world.ts'

const FANS = 3_000
const TOGETHER = 50
const ORIGIN = 'http://push.example/'

onServer('Pushes that are due at once', world => {
  // As after quiet hours, which end for all fans of a zone at the same time.
  test('are claimed in turns that read only their own', async () => {
    const ids = await manyFans(world, FANS, ORIGIN)
    const queue = { service: 'webpush:push.example', bulk: true }
    await world.db.write(async tx => {
      await enqueuePushes(
        tx,
        ids.map(id => pushOf(id)),
        { bulk: true },
      )
      const turn = () => takeTurn(tx, queue, [], { max: TOGETHER, leaseMs: 20_000 })
      for (let n = 0; n < 10; n++) expect(await turn()).toHaveLength(TOGETHER)
      const before = await rowsRead(tx, 'push_deliveries')
      expect(await turn()).toHaveLength(TOGETHER)
      expect((await rowsRead(tx, 'push_deliveries')) - before).toBeLessThan(20 * TOGETHER)
    })
  })
})
