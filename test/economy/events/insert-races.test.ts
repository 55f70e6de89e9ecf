/** Two units of work insert the same events: one of them does, and the other one knows that it did not. */
import { expect, test } from 'bun:test'
import { translateDatabaseError } from '../../../db/errors.ts'
import { ConflictError, type Transaction } from '../../../db/index.ts'
import { draftOf, insertEvents, readEvents } from '../../../src/economy/events/event-rows.ts'
import { execute } from '../../db/probe.ts'
import { newFan } from '../../delivery/webhooks/webhooks-world.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onServer } from '../../support/world.ts'

onServer('Events of several fans that two connections insert at once', world => {
  test('are taken for its own by the connection that inserted them, and by no other', async () => {
    const fans = [await newFan(world), await newFan(world)]
    const draftsOf = (tx: Transaction) =>
      fans.map(userId => {
        const content = { source: 'gate', eventId: `scan of ${userId}`, userId, type: 'gate.scanned' }
        const event = { ...content, occurredAt: tx.now(), data: {} }
        return draftOf(event, tx.now(), { revision: null, position: null, form: 'short' })
      })
    const inserted = Promise.withResolvers<void>()
    const first = world.db.write(async tx => {
      const sequences = await insertEvents(tx, draftsOf(tx))
      inserted.resolve()
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      await waitUntil('the second one waits', async () => (await execute(tx, waiting)).length > 0)
      return sequences
    })
    await inserted.promise
    let attempts = 0
    const second = world.db.write(async tx => {
      // The unit of work of a conflict is repeated.
      if (++attempts > 1) return readEvents(tx, draftsOf(tx))
      return insertEvents(tx, draftsOf(tx)).catch(error => {
        expect(translateDatabaseError(error)).toBeInstanceOf(ConflictError)
        throw error
      })
    })
    expect(await first).toEqual([1, 1])
    expect(await second).toMatchObject([{ sequence: 1 }, { sequence: 1 }])
    expect(attempts).toBe(2)
  })
})
