/** Which writes are refused before any work, and when their clients are told to come back. */
import { describe, expect, test } from 'bun:test'
import { pino } from 'pino'
import { createWriteAdmission } from '../../../src/platform/http/edge/write-admission.ts'

const MAX_WAIT_MS = 5_000
const request = (method = 'POST') => new Request('http://localhost/api/user/profile', { method })

function createWorld({ jitter = 0 } = {}) {
  const world = { now: 0, load: { msPerWrite: 1, oldestMs: 0 } }
  const admission = createWriteAdmission({
    load: () => world.load,
    maxWaitMs: MAX_WAIT_MS,
    elapsed: () => world.now,
    random: () => jitter,
    log: pino({ level: 'silent' }),
  })
  /** As many writes as are admitted, of so many. */
  function admit(count: number) {
    const requests = Array.from({ length: count }, () => request())
    return requests.filter(one => admission.admit(one) === null)
  }
  return Object.assign(world, { admission, admit })
}

test('many requests start in groups, one per turn of the event loop, in the order of arrival', async () => {
  const { admission } = createWorld()
  const begun: number[] = []
  const all = Array.from({ length: 1_000 }, async (_, n) => {
    await admission.begin()
    begun.push(n)
  })
  for (let n = 0; n < 5; n++) await Promise.resolve()
  const perTurn = [begun.length]
  while (begun.length < all.length && perTurn.length < 1_000) {
    const before = begun.length
    await new Promise(resolve => setImmediate(resolve))
    perTurn.push(begun.length - before)
  }
  await Promise.all(all)
  expect(perTurn).toEqual([...Array(15).fill(64), 40])
  expect(begun).toEqual(Array.from({ length: 1_000 }, (_, n) => n))
})

describe('Admission of writes', () => {
  test('admits as many writes as can be done in time, and one more for each that ends', () => {
    const { admission, admit } = createWorld()
    const admitted = admit(10_000)
    expect(admitted).toHaveLength(MAX_WAIT_MS + 1)
    for (const one of admitted.slice(0, 300)) {
      admission.end(one)
      admission.end(one)
    }
    expect(admit(1_000)).toHaveLength(300)
  })

  test('neither refuses nor counts reads', () => {
    const world = createWorld()
    world.load.oldestMs = 60_000
    for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(world.admission.admit(request(method))).toBeNull()
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(world.admission.admit(request(method))).toBeGreaterThanOrEqual(1)
    world.load.oldestMs = 0
    expect(world.admit(10_000)).toHaveLength(MAX_WAIT_MS + 1)
  })

  test('refuses while the oldest write has waited too long, even if only a few are waiting', () => {
    const world = createWorld()
    world.load.oldestMs = MAX_WAIT_MS + 1
    expect(world.admit(5)).toEqual([])
    world.load.oldestMs = MAX_WAIT_MS
    expect(world.admit(5)).toHaveLength(5)
  })

  test('spreads Retry-After over the time that the refused writes take, from when half of the queue is done', () => {
    const world = createWorld()
    world.load.oldestMs = 6_000
    const seconds = Array.from({ length: 10_000 }, () => world.admission.admit(request()) ?? 0)
    // At a write a millisecond, a thousand come back each second.
    for (let second = 4; second <= 13; second++) {
      expect(seconds.filter(one => one === second)).toHaveLength(1_000)
    }
    world.now += 9_000
    expect(world.admission.admit(request())).toBe(5)
    world.now += 60_000
    expect(world.admission.admit(request())).toBe(4)
  })

  test('adds jitter that grows with the number of refusals, to at most five minutes', () => {
    const world = createWorld({ jitter: 1 })
    const one = request()
    world.load.oldestMs = 6_000
    const seconds = Array.from({ length: 300_000 }, () => world.admission.admit(one) ?? 0)
    expect(seconds[0]).toBe(4)
    expect(seconds[99_999]).toBe(119)
    expect(seconds.at(-1)).toBe(300)
  })
})
