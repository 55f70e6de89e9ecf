/** The check of a database that probes share. */
import { expect, test } from 'bun:test'
import { shareCheck } from '../../db/postgres/shared-check.ts'
import { nextTurn } from '../support/wait-until.ts'

test('concurrent callers share one run', async () => {
  let runs = 0
  const check = shareCheck(async () => {
    runs++
    await nextTurn()
  })
  await Promise.all([check(), check(), check()])
  expect(runs).toBe(1)
})

test('a failure is reported at once, and the next caller checks again', async () => {
  let failing = false
  const check = shareCheck(async () => {
    if (failing) throw new Error('gone')
  })
  await check()
  failing = true
  await expect(check()).rejects.toThrow('gone')
  await expect(check()).rejects.toThrow('gone')
  failing = false
  await check()
})

test('a slow run is not waited for after a recent success; its failure is reported to the next callers', async () => {
  const slow = Promise.withResolvers<void>()
  let runs = 0
  const check = shareCheck(() => (++runs === 1 ? Promise.resolve() : slow.promise))
  await check()
  await check()
  const late = check()
  slow.reject(new Error('gone'))
  await expect(late).rejects.toThrow('gone')
  expect(runs).toBe(2)
})

test('the first run is waited for, however slow', async () => {
  const slow = Promise.withResolvers<void>()
  let done = false
  const first = shareCheck(() => slow.promise)().then(() => {
    done = true
  })
  // Takes as long as callers wait who know of a recent success.
  let runs = 0
  const known = shareCheck(() => (++runs === 1 ? Promise.resolve() : slow.promise))
  await known()
  await known()
  expect(done).toBe(false)
  slow.resolve()
  await first
})
