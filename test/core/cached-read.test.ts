/** Reads that scrapes share, and do not wait for. */
import { expect, test } from 'bun:test'
import { createCachedRead } from '../../src/core/cached-read.ts'

function createWorld() {
  const world = { now: 0, reads: [] as PromiseWithResolvers<number>[] }
  const read = createCachedRead(
    () => {
      const pending = Promise.withResolvers<number>()
      world.reads.push(pending)
      return pending.promise
    },
    { elapsed: () => world.now, maxAgeMs: 5_000, deadlineMs: 5 },
  )
  return { world, read }
}

test('a database that does not respond is queried once, and no scrape waits for it', async () => {
  const { world, read } = createWorld()
  expect(await Promise.all([read(), read()])).toEqual([null, null])
  expect(await read()).toBeNull()
  expect(world.reads).toHaveLength(1)
  world.reads[0]?.resolve(7)
  expect(await read()).toBe(7)
})

test('a value is used until it expires, and then read again', async () => {
  const { world, read } = createWorld()
  const first = read()
  world.reads[0]?.resolve(1)
  expect(await first).toBe(1)
  world.now = 4_999
  expect(await read()).toBe(1)
  world.now = 5_000
  const second = read()
  world.reads[1]?.resolve(2)
  expect(await second).toBe(2)
})

test('a failed read is repeated by the next scrape', async () => {
  const { world, read } = createWorld()
  const failing = read()
  world.reads[0]?.reject(new Error('down'))
  expect(await failing).toBeNull()
  const next = read()
  world.reads[1]?.resolve(3)
  expect(await next).toBe(3)
})
