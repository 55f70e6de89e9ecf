/** The database check that readiness probes share. */
import { expect, test } from 'bun:test'
import { shareCheck } from '../../db/postgres/shared-check.ts'
import { waitUntil } from '../support/wait-until.ts'

test('concurrent callers share one run, and later callers get its success', async () => {
  let runs = 0
  const check = shareCheck(async () => {
    runs++
    await Bun.sleep(1)
  })
  await Promise.all([check(), check(), check()])
  await check()
  expect(runs).toBe(1)
})

test('a failure is never reused: the next caller checks again', async () => {
  let runs = 0
  const check = shareCheck(async () => {
    if (++runs === 1) throw new Error('gone')
  })
  expect(check()).rejects.toThrow('gone')
  await check().catch(() => {})
  await check()
  expect(runs).toBe(2)
})

test('under steady calls a background run detects a failure', async () => {
  let failing = false
  const check = shareCheck(async () => {
    if (failing) throw new Error('gone')
  })
  await check()
  failing = true
  await waitUntil('the failure', () =>
    check().then(
      () => false,
      () => true,
    ),
  )
  expect(check()).rejects.toThrow('gone')
})
