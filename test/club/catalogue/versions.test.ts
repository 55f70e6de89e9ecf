/** Versions of what processes keep in memory. */
import { expect, test } from 'bun:test'
import {
  bumpVersion,
  currentRevision,
  currentVersion,
  readVersion,
} from '../../../src/club/catalogue/versions.ts'
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
        world.db.write(tx => {
          const { events } = tx.tables
          const at = tx.now()
          const revision = currentRevision(tx)
          return tx
            .insert(events)
            .values({ source: 'gate', eventId, recordedAt: at, voidedAt: at, revision })
            .returning({ revision: events.revision, version: currentVersion(tx) })
        })
      expect(await insert('1')).toEqual([{ revision: null, version: null }])
      await bump()
      expect(await insert('2')).toEqual([{ revision: 1, version: (await read())?.version ?? '' }])
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

    test('is counted once for each of many changes at once', async () => {
      const revisions = await Promise.all(Array.from({ length: 20 }, bump))
      expect(revisions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
      expect((await read())?.revision).toBe(20)
    })
  },
  { worldPer: 'test' },
)
