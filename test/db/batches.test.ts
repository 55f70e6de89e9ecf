/** Long background work: bounded units of work, and rests that leave the process to others. */
import { afterEach, expect, mock, spyOn, test } from 'bun:test'
import { inBatches, nextSize, restAfter } from '../../db/batches.ts'
import { createClock } from '../support/clock.ts'
import { sqliteEngine } from '../support/engines.ts'

afterEach(() => mock.restore())

/** Spins, so that a step takes some time. Returns how long, in milliseconds. */
function work(): number {
  const began = performance.now()
  while (performance.now() === began);
  return performance.now() - began
}

test('a rest is as long as the step before it', async () => {
  const rest = spyOn(Bun, 'sleep').mockResolvedValue()
  const began = performance.now()
  const took = work()
  await restAfter(began)
  expect(rest).toHaveBeenCalledTimes(1)
  expect(rest.mock.calls[0]?.[0]).toBeGreaterThanOrEqual(took)
})

test('units of work rest between each other, and not after the last one', async () => {
  const { db, remove } = await sqliteEngine.open(createClock())
  const order: string[] = []
  spyOn(Bun, 'sleep').mockImplementation(async () => void order.push('rest'))
  const left = [450, 250, 50]
  const changed = await inBatches(db, async (_, size) => {
    order.push('work')
    return Math.min(left.shift() ?? 0, size)
  })
  expect(changed).toBe(450)
  expect(order).toEqual(['work', 'rest', 'work', 'rest', 'work'])
  mock.restore()
  await remove()
})

test('no unit of work starts after a stop was requested', async () => {
  const { db, remove } = await sqliteEngine.open(createClock())
  let batches = 0
  const change = async (_: unknown, size: number) => {
    batches++
    return size
  }
  expect(await inBatches(db, change, () => batches === 2)).toBe(400)
  await remove()
})

test.each([
  { label: 'grows when it was short', engine: 'sqlite', size: 100, ms: 20, next: 125 },
  { label: 'takes longer on PostgreSQL', engine: 'postgres', size: 100, ms: 50, next: 150 },
  { label: 'shrinks when it was long', engine: 'sqlite', size: 200, ms: 50, next: 100 },
  { label: 'is the smallest after a pause of the machine', engine: 'sqlite', size: 200, ms: 5_000, next: 50 },
  { label: 'is twice as large at most', engine: 'sqlite', size: 60, ms: 0, next: 120 },
  { label: 'is the largest at most', engine: 'postgres', size: 400, ms: 1, next: 500 },
] as const)('the next unit of work $label', ({ engine, size, ms, next }) => {
  expect(nextSize({ engine }, { size, ms }, { min: 50, max: 500 })).toBe(next)
})
