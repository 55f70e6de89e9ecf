import { expect, test } from 'bun:test'
import { DatabaseError } from '../../db/index.ts'
import { createSemaphore } from '../../db/semaphore.ts'

const faultOf = (error: unknown) => (error instanceof DatabaseError ? error.fault : error)

test('a semaphore grants its permits, then one for each release, first in, first out', async () => {
  const semaphore = createSemaphore(2)
  const granted: number[] = []
  const all = [1, 2, 3, 4].map(n => semaphore.acquire().then(() => granted.push(n)))
  await Promise.all(all.slice(0, 2))
  expect(granted).toEqual([1, 2])
  semaphore.release()
  await all[2]
  semaphore.release()
  await all[3]
  expect(granted).toEqual([1, 2, 3, 4])
})

test('a semaphore closes after the last release, including callers in the queue, and refuses new callers', async () => {
  const semaphore = createSemaphore(1)
  await semaphore.acquire()
  const waiting = semaphore.acquire()
  let closed = false
  const closing = semaphore.close().then(() => {
    closed = true
  })
  expect(await semaphore.acquire().catch(faultOf)).toBe('unreachable')
  semaphore.release()
  await waiting
  expect(closed).toBe(false)
  semaphore.release()
  await closing
  expect(closed).toBe(true)
})
