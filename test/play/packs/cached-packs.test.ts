/** A cached list of packs ends at the next instant at which the clock alone changes it. */
import { beforeEach, expect, test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'
import { addPack, DAY, expectStatus, FREE, HOLD, patientFan, remaining, start } from './packs-world.ts'

onEachEngine('A cached pack', world => {
  // Holds and windows of the test before are over.
  beforeEach(() => world.clock.advance(DAY))

  // Milliseconds from the first read. A view is computed again after 900 ms in any case.
  test.each([
    ['a window closes', { window: 100, hold: null }],
    ['a hold expires', { window: null, hold: 100 }],
    ['a window closes before a hold expires', { window: 100, hold: 300 }],
    ['a hold expires before a window closes', { window: 300, hold: 100 }],
    ['both happen at once', { window: 100, hold: 100 }],
  ])('shows each change to the millisecond: %s', async (_, { window, hold }) => {
    const held = await addPack(world, { supply: 1, price: FREE })
    if (hold !== null) {
      expectStatus(201, await start(await patientFan(world), held))
      world.clock.advance(HOLD - hold)
    }
    const begin = world.clock.ms
    const closing = await addPack(world, { endsAt: window === null ? null : new Date(begin + window) })
    const read = async () => {
      const { packs } = expectStatus(200, await world.anonymous.get('/api/packs'))
      const listed = packs as { id: string; supply: { remaining: number } | null }[]
      return {
        isListed: listed.some(({ id }) => id === closing),
        isActive: expectStatus(200, await world.anonymous.get(`/api/packs/${closing}`)).active,
        remains: listed.find(({ id }) => id === held)?.supply?.remaining,
        remainsAlone: await remaining(world, held),
      }
    }
    const expected = (after: number) => {
      const isOpen = window === null || after < window
      const left = hold === null || after >= hold ? 1 : 0
      return { isListed: isOpen, isActive: isOpen, remains: left, remainsAlone: left }
    }
    const edges = [...new Set([window, hold])].filter(edge => edge !== null).toSorted((a, b) => a - b)
    for (const after of [0, ...edges.flatMap(edge => [edge - 1, edge])]) {
      world.clock.ms = begin + after
      expect([after, await read()]).toEqual([after, expected(after)])
    }
  })
})
