/** Versions of what processes keep in memory. */
import { expect, test } from 'bun:test'
import type { Transaction } from '../../../db/index.ts'
import { bumpVersion, readVersion } from '../../../src/club/catalogue/versions.ts'
import { draftOf, insertEvent } from '../../../src/economy/events/event-rows.ts'
import { recordEvent } from '../../../src/economy/events/record-event.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { addRule } from '../../economy/rules/rules-world.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine(
  'A version of the catalogue',
  world => {
    const bump = () => world.db.write(tx => bumpVersion(tx))
    const read = () => readVersion(world.db.read)

    test('is absent before the first change, and new after each one', async () => {
      expect(await read()).toBeNull()
      expect(await bump()).toBe(1)
      const first = await read()
      expect(await bump()).toBe(2)
      const second = await read()
      expect([first?.revision, second?.revision]).toEqual([1, 2])
      expect(second?.version).not.toBe(first?.version)
    })

    test('is read within the statement that stores an event', async () => {
      const insert = (eventId: string) =>
        world.db.write(async tx => {
          const { user } = await ensureUser(tx, { provider: 'test', subject: 'fan' })
          const event = {
            source: 'gate',
            eventId,
            userId: user.id,
            type: 'gate.scan',
            occurredAt: tx.now(),
            data: {},
          }
          const draft = draftOf(event, tx.now(), { revision: null, position: null, form: 'short' })
          return insertEvent(tx, draft, 'current')
        })
      expect(await insert('1')).toEqual({ sequence: 1, revision: null })
      await bump()
      expect(await insert('2')).toEqual({ sequence: 2, revision: 1 })
    })

    test('stays as it is when the unit of work fails', async () => {
      await bump()
      const before = await read()
      const failing = world.db.write(async tx => {
        await bumpVersion(tx)
        throw new Error('refused')
      })
      await expect(failing).rejects.toThrow('refused')
      expect(await read()).toEqual(before)
    })

    test('that was rolled back and assigned again has its own listeners', async () => {
      const id = await world.db.write(
        async tx => (await ensureUser(tx, { provider: 'test', subject: 'fan' })).user.id,
      )
      const record = (tx: Transaction) =>
        recordEvent(tx, { userId: id, type: 'reward.claimed', data: { rewardId: 'scarf' } })
      const failing = world.db.write(async tx => {
        await bumpVersion(tx)
        await record(tx)
        throw new Error('refused')
      })
      await expect(failing).rejects.toThrow('refused')
      await addRule(world, { id: 'claimed', eventType: 'reward.claimed', points: { fixed: 7 } })
      expect((await read())?.revision).toBe(1)
      expect((await world.db.write(record))?.grants).toMatchObject([{ points: 7 }])
    })

    test('is counted once for each of many changes at once', async () => {
      const revisions = await Promise.all(Array.from({ length: 20 }, bump))
      expect(revisions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
      expect((await read())?.revision).toBe(20)
    })
  },
  { worldPer: 'test' },
)
