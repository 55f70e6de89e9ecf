/** A backlog costs what is taken of it, also by plans and statistics of a moment at which nothing waited. */
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

const FANS = 20_000
/** As many deliveries as one page of an index of instants holds, and none of an index of ids. */
const PEAK = 300
/** Each fan waits for two deliveries. */
const SEQUENCES = [1, 2]
/** From its sixth execution on, PostgreSQL keeps the plan of a statement. */
const EXECUTIONS = 10
const LIMITS = { maxInFlight: BATCH, maxClaimed: BATCH, held: [], leaseMs: 30_000 }
const TABLES = ['events', 'webhook_deliveries', 'webhook_lanes']

/** Deletes what was delivered, and analyzes. Indexes stay as high as the peak before made them, which decides between them. */
const forget = async (tx: Transaction, peak: (fans: number) => Promise<void>) => {
  await peak(PEAK)
  for (const table of TABLES) await execute(tx, `DELETE FROM ${table}`)
  for (const table of TABLES) await execute(tx, `ANALYZE ${table}`)
}

onServer(
  'A backlog of deliveries',
  world => {
    async function insertEvents(tx: Transaction, fans: number, sequences: number[]) {
      const [now, { users, events }] = [tx.now(), tx.tables]
      const ids = Array.from({ length: fans }, () => tx.newId())
      const rows = ids.map(id => ({ id, provider: 'mock-idp', subject: id, createdAt: now, updatedAt: now }))
      await insertRows(tx, users, rows)
      const event = { source: 'test', type: 'shop.purchase', revision: 1_000, data: '{}', position: 0 }
      for (const sequence of sequences) {
        const ofAll = ids.map(userId => ({ userId, eventId: `${userId} ${sequence}`, sequence }))
        await insertRows(
          tx,
          events,
          ofAll.map(row => ({ ...event, ...row, occurredAt: now, recordedAt: now })),
        )
      }
    }

    /** Claims a set of deliveries, and stores that they were delivered. */
    async function deliver(tx: Transaction, endpointId: string): Promise<number> {
      const claimed = await takeTurn(tx, endpointId, [], LIMITS)
      const result = { status: 204, response: '' }
      const finished = (claimed?.claims ?? []).map(claim => ({ ...claim, result }))
      await takeTurn(tx, endpointId, finished, { ...LIMITS, maxInFlight: 0 })
      return finished.length
    }

    /** A backlog that is gone at its end. */
    async function peak(tx: Transaction, endpointId: string, fans: number) {
      await insertEvents(tx, fans, [1])
      for (let after: string | null = ''; after !== null; ) after = await distributeEvents(tx, after)
      for (let left = fans; left > 0; ) left -= await deliver(tx, endpointId)
    }

    async function readBy(tx: Transaction, work: () => Promise<unknown>): Promise<number> {
      const count = async () => {
        let rows = 0
        for (const table of TABLES) rows += await rowsRead(tx, table)
        return rows
      }
      const before = await count()
      await work()
      return (await count()) - before
    }

    test.each([
      ['that read only themselves, when nothing was analyzed', 20 * BATCH, async () => {}],
      // The deletion of lanes reads each lane once then, not once for each that it deletes.
      ['that read lanes once, when the tables were analyzed while nothing waited', 2 * FANS, forget],
    ])('is distributed and delivered in sets %s', async (_, max, prepare) => {
      const receiver = startReceiver()
      const { id } = await addReceiver(world, receiver, ['*'])
      // One unit of work: plans are kept for each connection.
      await world.db.write(async tx => {
        for (let n = 0; n < EXECUTIONS; n++) {
          // The second time, it plans by the statistics.
          if (n === EXECUTIONS - 1) await prepare(tx, (fans: number) => peak(tx, id, fans))
          await peak(tx, id, 1)
        }
        await insertEvents(tx, FANS, SEQUENCES)
        let after: string | null = ''
        const distribute = async () => {
          after = await distributeEvents(tx, after ?? '')
        }
        expect(await readBy(tx, distribute)).toBeLessThan(8 * BATCH)
        while (after !== null) await distribute()
        const delivery = async () => expect(await deliver(tx, id)).toBe(BATCH)
        for (let round = 0; round < 3; round++) expect(await readBy(tx, delivery)).toBeLessThan(max)
      })
      await receiver.stop()
    })
  },
  { worldPer: 'test' },
)
