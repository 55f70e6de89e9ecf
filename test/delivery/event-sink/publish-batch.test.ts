/** The messages of a batch, and the published position, when the server refuses or is slow. */
import { expect, test } from 'bun:test'
import { publishBatch } from '../../../src/delivery/event-sink/publish-batch.ts'
import type { PositionedEvent } from '../../../src/economy/events/positions.ts'

const AT = new Date('2026-08-15T18:30:00.000Z')

/** Positions 1, 2, 3 …, by the fan of each; null: its data was deleted. */
const batchOf = (...fans: (string | null)[]): PositionedEvent[] =>
  fans.map((userId, at) => {
    const event = userId === null ? null : { userId, sequence: at + 1, source: 'shop', type: 'shop.purchase' }
    const times = { occurredAt: AT, recordedAt: AT }
    return {
      position: at + 1,
      recordedAt: AT,
      event: event && { ...event, ...times, eventId: `${at}`, data: {} },
    }
  })

/** Stores the messages that it gets, and refuses those with these ids. */
function serverOf(...refused: string[]) {
  const sent: string[] = []
  return {
    sent,
    async publish({ id }: { id: string }) {
      sent.push(id)
      await Promise.resolve()
      if (refused.includes(id)) throw new Error('refused')
    },
  }
}

test.each([
  ['everything is stored', batchOf('a', 'b', 'a'), [], 3, ['evt_a_1', 'evt_b_2', 'evt_a_3']],
  ['deleted data is passed over', batchOf(null, 'a', null), [], 3, ['evt_a_2']],
  ['the first is refused', batchOf('a', 'b', 'a'), ['evt_a_1'], undefined, ['evt_a_1', 'evt_b_2']],
  ['one between is refused', batchOf('a', 'b', 'a', 'b'), ['evt_b_2'], 1, ['evt_a_1', 'evt_b_2', 'evt_a_3']],
] as const)(
  '%s: later events of the fan are not sent, and the position stays before the event',
  async (...given) => {
    const [, batch, refused, position, sent] = given
    const server = serverOf(...refused)
    const outcome = await publishBatch(server, batch, () => false)
    expect(outcome.position).toBe(position)
    expect(outcome.failed === undefined).toBe(refused.length === 0)
    expect(server.sent).toEqual([...sent])
  },
)

test('a batch that takes too long ends without an error, and keeps what was stored', async () => {
  const server = serverOf()
  const batch = batchOf('a', 'b', 'a', 'a', 'b')
  const outcome = await publishBatch(server, batch, () => server.sent.length >= 3)
  expect(outcome).toEqual({ position: 3, failed: undefined })
  expect(server.sent).toEqual(['evt_a_1', 'evt_b_2', 'evt_a_3'])
})
