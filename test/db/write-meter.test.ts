/** Measured durations of writes, on a clock that the test controls. */
import { expect, test } from 'bun:test'
import { createWriteMeter } from '../../db/write-meter.ts'

function createWorld() {
  let now = 0
  const meter = createWriteMeter(1, { elapsed: () => now })
  /** Starts a write, and returns the function that ends it. */
  function begin() {
    const { promise, resolve } = Promise.withResolvers<void>()
    const done = meter.measure(() => promise)
    return async () => {
      resolve()
      await done
    }
  }
  return {
    meter,
    begin,
    pass(ms: number) {
      now += ms
    },
    /** `count` concurrent writes, one of which ends every `ms`. */
    async crowd(count: number, ms: number) {
      const ends = Array.from({ length: count }, begin)
      for (const end of ends) {
        now += ms
        await end()
      }
    },
  }
}

test('the age of the oldest write is reported while it runs, and is 0 when there is none', async () => {
  const { meter, begin, pass } = createWorld()
  expect(meter.load().oldestMs).toBe(0)
  const endFirst = begin()
  pass(30)
  const endSecond = begin()
  pass(5)
  expect(meter.load().oldestMs).toBe(35)
  await endFirst()
  expect(meter.load().oldestMs).toBe(5)
  await endSecond()
  expect(meter.load().oldestMs).toBe(0)
})

test('a faster rate applies at once, a slower one gradually', async () => {
  const { meter, crowd } = createWorld()
  await crowd(10_000, 0.1)
  expect(meter.load().msPerWrite).toBeCloseTo(0.1, 2)
  await crowd(1_000, 1)
  expect(meter.load().msPerWrite).toBeLessThan(0.12)
  await crowd(30_000, 1)
  expect(meter.load().msPerWrite).toBeCloseTo(1, 1)
})

test('slow writes that do not overlap leave the figure unchanged', async () => {
  const { meter, crowd, begin, pass } = createWorld()
  await crowd(10_000, 0.1)
  for (let n = 0; n < 50; n++) {
    const end = begin()
    pass(8)
    await end()
    pass(1_000)
  }
  expect(meter.load().msPerWrite).toBeCloseTo(0.1, 2)
})

test('a stall has little effect on the estimate', async () => {
  const { meter, crowd, begin, pass } = createWorld()
  await crowd(10_000, 0.1)
  const stalled = Array.from({ length: 5 }, begin)
  pass(60_000)
  for (const end of stalled) await end()
  expect(meter.load().msPerWrite).toBeCloseTo(0.1, 2)
})

test('a failed write counts as ended', async () => {
  const { meter } = createWorld()
  await expect(meter.measure(() => Promise.reject(new Error('my own')))).rejects.toThrow('my own')
  expect(meter.load().oldestMs).toBe(0)
})
