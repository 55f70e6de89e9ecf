/** The bench waits as long as work advances. */
import { expect, test } from 'bun:test'
import { waitForEnd } from '../../scripts/bench/wait-for-end.ts'

const EVERY = { problem: 'the work has stalled', everyMs: 1 }

test('work that advances is awaited, however long it takes', async () => {
  let polls = 0
  await waitForEnd({ ...EVERY, stillMs: 0, progress: async () => (++polls > 50 ? null : polls) })
  expect(polls).toBe(51)
})

test('work that no longer advances fails', async () => {
  let polls = 0
  const stalled = waitForEnd({ ...EVERY, stillMs: 10, progress: async () => Math.min(++polls, 5) })
  expect(stalled).rejects.toThrow('the work has stalled')
  await stalled.catch(() => {})
  expect(polls).toBeGreaterThan(5)
})
