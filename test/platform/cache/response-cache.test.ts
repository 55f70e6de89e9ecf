import { expect, test } from 'bun:test'
import { createResponseCache } from '../../../src/platform/cache/response-cache.ts'

/** A cache with its own clock, and responses that count their computations. */
function createStage(maxBytes?: number) {
  const clock = { ms: 0 }
  const cache = createResponseCache({
    elapsed: () => clock.ms,
    now: () => new Date(clock.ms),
    externalCommits: () => null,
    maxBytes,
  })
  const computed: Record<string, number> = {}
  const read = (name: string, tags: string[] = [], value: unknown = name) =>
    cache.get(name, async () => {
      computed[name] = (computed[name] ?? 0) + 1
      return { value, tags }
    })
  return { cache, clock, computed, read }
}

/** A computation that the test completes. */
function createGate<T>() {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  return { wait: () => promise, open: resolve, fail: reject }
}

test('a response is computed once, and then cached', async () => {
  const { computed, read } = createStage()
  for (let n = 0; n < 5; n++) expect(await read('a')).toBe('a')
  expect(computed).toEqual({ a: 1 })
})

test('a hundred concurrent readers share one computation', async () => {
  const { cache } = createStage()
  const gate = createGate<{ value: number; tags: string[] }>()
  let computed = 0
  const compute = () => {
    computed++
    return gate.wait()
  }
  const readers = Array.from({ length: 100 }, () => cache.get('cold', compute))
  gate.open({ value: 7, tags: [] })
  expect(await Promise.all(readers)).toEqual(Array(100).fill(7))
  expect(computed).toBe(1)
})

test('an invalidated tag invalidates its responses, and no others', async () => {
  const { cache, computed, read } = createStage()
  async function readAll() {
    await read('ab', ['a', 'b'])
    await read('b', ['b'])
    await read('c', ['c'])
  }
  await readAll()
  cache.invalidate('a')
  await readAll()
  expect(computed).toEqual({ ab: 2, b: 1, c: 1 })
  cache.invalidate('b')
  cache.invalidate('nobody’s')
  await readAll()
  expect(computed).toEqual({ ab: 3, b: 2, c: 1 })
})

test('a response that is computed with other tags than before depends on the new ones', async () => {
  const { cache, clock, computed, read } = createStage()
  await read('page', ['old'])
  clock.ms += 1000
  await read('page', ['new'])
  cache.invalidate('old')
  await read('page', ['new'])
  expect(computed.page).toBe(2)
  cache.invalidate('new')
  await read('page', ['new'])
  expect(computed.page).toBe(3)
})

test('a response is cached for less than a second, counted from the start of its computation', async () => {
  const { cache, clock, computed, read } = createStage()
  await read('a')
  clock.ms = 899
  await read('a')
  expect(computed.a).toBe(1)
  clock.ms = 900
  await read('a')
  expect(computed.a).toBe(2)

  const gate = createGate<{ value: string; tags: string[] }>()
  const slow = cache.get('slow', gate.wait)
  clock.ms += 500
  gate.open({ value: 'first', tags: [] })
  expect(await slow).toBe('first')
  clock.ms += 399
  expect(await read('slow', [], 'second')).toBe('first')
  clock.ms += 1
  expect(await read('slow', [], 'second')).toBe('second')
})

test('no reader joins a computation that started a second ago', async () => {
  const { cache, clock, read } = createStage()
  const gate = createGate<{ value: string; tags: string[] }>()
  const slow = cache.get('slow', gate.wait)
  clock.ms += 900
  expect(await read('slow', [], 'new')).toBe('new')
  gate.open({ value: 'old', tags: [] })
  expect(await slow).toBe('old')
  expect(await read('slow', [], 'newer')).toBe('new')
})

test('a failure rejects for all waiting readers, and is not cached', async () => {
  const { cache, read } = createStage()
  const gate = createGate<never>()
  const readers = [1, 2, 3].map(() => cache.get('a', gate.wait))
  gate.fail(new Error('out of order'))
  const outcomes = await Promise.allSettled(readers)
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await read('a')).toBe('a')
})

test('a computation that throws synchronously rejects, and the next reader computes', async () => {
  const { cache, read } = createStage()
  const broken = () => {
    throw new Error('at once')
  }
  await expect(cache.get('a', broken)).rejects.toThrow('at once')
  expect(await read('a')).toBe('a')
})

test('after an invalidation a running computation is neither joined nor cached', async () => {
  const { cache, read } = createStage()
  const gate = createGate<{ value: string; tags: string[] }>()
  const before = cache.get('a', gate.wait)
  cache.invalidate('tag')
  const after = read('a', ['tag'], 'after')
  gate.open({ value: 'before', tags: ['tag'] })
  expect([await before, await after]).toEqual(['before', 'after'])
  expect(await read('a', ['tag'], 'later')).toBe('after')
})

test('a running computation is cached after the invalidation of another tag', async () => {
  const { cache, read } = createStage()
  const gate = createGate<{ value: string; tags: string[] }>()
  const before = cache.get('a', gate.wait)
  cache.invalidate('something else')
  gate.open({ value: 'before', tags: ['tag'] })
  expect(await before).toBe('before')
  expect(await read('a', ['tag'], 'later')).toBe('before')
})

test('the older of two computations does not replace the newer one, in any order of completion', async () => {
  const { cache, read } = createStage()
  const [older, newer] = [
    createGate<{ value: string; tags: string[] }>(),
    createGate<{ value: string; tags: string[] }>(),
  ]
  const first = cache.get('a', older.wait)
  cache.invalidate('tag')
  const second = cache.get('a', newer.wait)
  older.open({ value: 'older', tags: [] })
  expect(await first).toBe('older')
  // The end of the first computation does not affect the second one.
  const joined = cache.get('a', async () => ({ value: 'third', tags: [] }))
  newer.open({ value: 'newer', tags: [] })
  expect([await second, await joined]).toEqual(['newer', 'newer'])
  expect(await read('a')).toBe('newer')
})

test('all responses together stay below the limit, and the least recently used are evicted first', async () => {
  const { computed, read } = createStage(50_000)
  const value = 'x'.repeat(4000)
  for (let n = 0; n < 50; n++) {
    await read(`response-${n}`, ['tag'], value)
    await read('response-0', ['tag'], value)
  }
  // The one that was read all the time is still cached.
  expect(computed['response-0']).toBe(1)
  for (let n = 0; n < 50; n++) await read(`response-${n}`, ['tag'], value)
  const again = Object.values(computed).filter(times => times > 1).length
  expect(again).toBeGreaterThanOrEqual(39)
})

test('a response larger than the limit is returned and not cached, and does not affect others', async () => {
  const { cache, computed, read } = createStage(10_000)
  await read('small', ['tag'])
  for (let n = 0; n < 2; n++) await read('huge', ['tag'], 'x'.repeat(20_000))
  await read('small', ['tag'])
  expect(computed).toEqual({ small: 1, huge: 2 })
  cache.invalidate('tag')
  await read('small', ['tag'])
  expect(computed.small).toBe(2)
})

test('the limit includes overhead, so that many small responses cannot fill the memory', async () => {
  // An empty response still has a name, tags and slots in the cache: some hundred bytes.
  const { cache, read } = createStage(100_000)
  const names = Array.from({ length: 2000 }, (_, n) => String(n))
  for (const name of names)
    await read(
      name,
      Array.from({ length: 20 }, (_, n) => `tag ${name} ${n}`),
      null,
    )
  let kept = 0
  for (const name of names.toReversed()) {
    const value = await cache.get(name, async () => ({ value: 'computed', tags: [] }))
    if (value === null) kept++
    else break
  }
  expect(kept).toBeLessThan(500)
})
