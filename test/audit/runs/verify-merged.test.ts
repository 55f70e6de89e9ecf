/** The verification of rows of two fans after one of them was merged: the event of the other one is still compared with the row. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { findingsOf } from '../../play/top-ups/cash-world.ts'
import { completedTrade, drawnItem } from '../../play/trades/trades-world.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine(
  'The verification of a trade with a fan who was merged',
  world => {
    test.each([
      ['gave', 'toId'],
      ['received', 'fromId'],
    ] as const)(
      'finds a wrong fan at the other end of a trade in which the merged fan %s',
      async (did, column) => {
        const [merged, other, remains] = [await namedFan(world), await namedFan(world), await namedFan(world)]
        // The merged fan has fewer events, and the other one more: the order of their events decides nothing.
        for (let nth = 0; nth < 4; nth++) await drawnItem(world, other)
        const [from, to] = did === 'gave' ? [merged, other] : [other, merged]
        const tradeId = await completedTrade(world, from, to)
        await world.db.write(tx =>
          mergeFans(tx, { from: merged.id, into: remains.id, mergedBy: 'Ana', reason: null }),
        )
        expect(await findingsOf(world)).toEqual([])
        const { trades } = world.db.tables
        const wrong = (await namedFan(world)).id
        await world.db.write(tx =>
          tx
            .update(trades)
            .set({ [column]: wrong })
            .where(eq(trades.id, tradeId)),
        )
        const what = `trades.${column === 'toId' ? 'to_id' : 'from_id'} of ${tradeId}`
        expect(await findingsOf(world)).toContainEqual({
          userId: other.id,
          what,
          expected: other.id,
          actual: wrong,
        })
      },
    )
  },
  { worldPer: 'test' },
)
