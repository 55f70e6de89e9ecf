import { expect, test } from 'bun:test'
import { oncePerTurn } from '../../src/cache/once-per-turn.ts'

test('a function is called once in a turn of the event loop, and again in the next', async () => {
  let calls = 0
  const count = oncePerTurn(() => ++calls)
  expect([count(), count()]).toEqual([1, 1])
  await Promise.resolve()
  expect(count()).toBe(1)
  await new Promise(resolve => setImmediate(resolve))
  expect([count(), count()]).toEqual([2, 2])
})

test('an error is thrown to its caller and not repeated', () => {
  let calls = 0
  const fail = oncePerTurn(() => {
    calls++
    throw new Error('locked')
  })
  expect(fail).toThrow('locked')
  expect(fail).toThrow('locked')
  expect(calls).toBe(2)
})
