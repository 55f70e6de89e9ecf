/** The turnstile in front of a bounded number of places. */
import { expect, test } from 'bun:test'
import { DatabaseError } from '../../db/index.ts'
import { createTurnstile } from '../../db/semaphore.ts'

const faultOf = (error: unknown) => (error instanceof DatabaseError ? error.fault : error)

test('lets in as many as it is wide, then one for each who leaves, first come first served', async () => {
  const turnstile = createTurnstile(2)
  const inside: number[] = []
  const all = [1, 2, 3, 4].map(n => turnstile.enter().then(() => inside.push(n)))
  await Promise.all(all.slice(0, 2))
  expect(inside).toEqual([1, 2])
  turnstile.leave()
  await all[2]
  turnstile.leave()
  await all[3]
  expect(inside).toEqual([1, 2, 3, 4])
})

test('closes when the last has left, those who waited included, and lets in no other', async () => {
  const turnstile = createTurnstile(1)
  await turnstile.enter()
  const waiting = turnstile.enter()
  let closed = false
  const closing = turnstile.close().then(() => {
    closed = true
  })
  expect(await turnstile.enter().catch(faultOf)).toBe('unreachable')
  turnstile.leave()
  await waiting
  expect(closed).toBe(false)
  turnstile.leave()
  await closing
  expect(closed).toBe(true)
})
