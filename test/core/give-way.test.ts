import { expect, test } from 'bun:test'
import { createGiveWay } from '../../src/core/give-way.ts'

/** Counts its looks. The clock advances by 10 ms with each reading of it. */
function look({ inFlight = (_: number) => 0, cpu = (_: number) => 0 }) {
  const looks = { count: 0 }
  let time = 0
  let used = 0
  const giveWay = createGiveWay({
    inFlight: () => inFlight(looks.count),
    elapsed: () => (time += 10),
    cpu: () => (used += cpu(++looks.count)),
  })
  return { giveWay, looks }
}

test('continues immediately while few requests are in flight', async () => {
  const { giveWay, looks } = look({ inFlight: () => 4 })
  await giveWay(1_000)
  expect(looks.count).toBe(2)
})

test('waits until few requests were in flight for a while', async () => {
  const { giveWay, looks } = look({ inFlight: count => (count < 10 || count === 12 ? 64 : 0) })
  await giveWay(1_000)
  expect(looks.count).toBeGreaterThan(12)
  expect(looks.count).toBeLessThan(40)
})

test('waits until the process is not busy', async () => {
  const { giveWay, looks } = look({ cpu: count => (count < 10 ? 9 : 1) })
  await giveWay(1_000)
  expect(looks.count).toBe(10)
})

test('waits for ten times the duration of the turn, and for a second, at most', async () => {
  const counts: number[] = []
  for (const tookMs of [10, 20, 500, 5_000]) {
    const { giveWay, looks } = look({ inFlight: () => 64, cpu: () => 10 })
    await giveWay(tookMs)
    counts.push(looks.count)
  }
  const [short = 0, longer = 0, most = 0, never = 0] = counts
  expect(longer).toBeGreaterThan(short)
  expect(most).toBeGreaterThan(longer)
  expect(never).toBe(most)
})
