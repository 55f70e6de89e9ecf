/** On PostgreSQL a backlog costs what is taken of it, also by the statistics of a moment at which nothing waited. */
import { expect, test } from 'bun:test'
import { insertRows } from '../../../db/bulk.ts'
import type { Transaction } from '../../../db/index.ts'
import { takeTurn } from '../../../src/delivery/webhooks/turn.ts'
import { BATCH, distributeEvents } from '../../../src/economy/events/distribute.ts'
import { rowsRead } from '../../db/plans.ts'
import { execute } from '../../db/probe.ts'
import { onServer } from '../../support/world.ts'
import { startReceiver } from './receiver.ts'
import { addReceiver } from './webhooks-world.ts'

const EVENTS = 3_000
const LIMITS = { maxInFlight: BATCH, maxClaimed: BATCH, held: [], leaseMs: 30_000 }

onServer('A backlog of deliveries', world => {
  /** Events of distinct fans. */
  async function insertEvents(tx: Transaction, position: (at: number) => number) {
    const [now, { users, events }] = [tx.now(), tx.tables]
    const ids = Array.from({ length: EVENTS }, () => tx.newId())
    const fans = ids.map(id => ({ id, provider: 'mock-idp', subject: id, createdAt: now, updatedAt: now }))
    await insertRows(tx, users, fans)
    const event = { source: 'test', type: 'shop.purchase', sequence: 1, revision: 1_000, data: '{}' }
    const rows = ids.map((id, at) => {
      return { ...event, eventId: id, userId: id, occurredAt: now, recordedAt: now, position: position(at) }
    })
    await insertRows(tx, events, rows)
  }

  test('is distributed and delivered in sets that read only themselves', async () => {
    const receiver = startReceiver()
    const { id } = await addReceiver(world, receiver, ['*'])
    await world.db.write(tx => insertEvents(tx, at => at + 1))
    await world.db.write(async tx => {
      await tx.insert(tx.tables.eventDistribution).values({ id: 'events', lastPosition: EVENTS })
      await execute(tx, 'ANALYZE events')
    })
    await world.db.write(tx => insertEvents(tx, () => 0))
    let after: string | null = ''
    for (let rounds = 0; rounds < 4; rounds++) {
      const began: string = after ?? ''
      const read = await world.db.write(async tx => {
        after = await distributeEvents(tx, began)
        return rowsRead(tx, 'events')
      })
      // Entries of earlier rounds count until PostgreSQL may skip them. A join by the statistics reads 771,001 rows.
      expect(read).toBeLessThan(2 * EVENTS)
    }
    const claimed = await world.db.write(tx => takeTurn(tx, id, [], LIMITS))
    const result = { status: 204, response: '' }
    const finished = (claimed?.claims ?? []).map(claim => ({ ...claim, result }))
    expect(finished).toHaveLength(BATCH)
    const read = await world.db.write(async tx => {
      await takeTurn(tx, id, finished, { ...LIMITS, maxInFlight: 0 })
      return (await rowsRead(tx, 'webhook_deliveries')) + (await rowsRead(tx, 'webhook_lanes'))
    })
    expect(read).toBeLessThan(8 * BATCH)
    await receiver.stop()
  })
})
