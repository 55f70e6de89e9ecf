/**
 * Repeats units of work and statements that PostgreSQL refused because of concurrent work. A refused one has written
 * nothing.
 */
import { DatabaseError, isRetryable } from '../errors.ts'
import type { Semaphore } from '../semaphore.ts'

/** Minimum attempts, for work that takes longer than the time for repetitions. */
const MIN_ATTEMPTS = 5
/** Waits are random, and their maximum doubles each time up to this. Milliseconds. */
const MAX_WAIT_MS = 20

/**
 * After this number of attempts, units of work take turns. Otherwise units of work on one busy row could refuse each other
 * without end.
 */
const ATTEMPTS_AT_ONCE = 3

/**
 * `turns` limits how many repeatedly conflicting units of work run at once. @throws DatabaseError `busy` when `work` still
 * conflicts after `forMs` and at least five attempts
 */
export async function repeatOnConflict<T>(
  forMs: number,
  work: () => Promise<T>,
  turns?: Semaphore,
): Promise<T> {
  const until = performance.now() + forMs
  let attempts = 0
  try {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!isRetryable(error)) throw error
        attempts++
        if (attempts >= MIN_ATTEMPTS && performance.now() >= until) throw new DatabaseError('busy', error)
      }
      if (attempts === ATTEMPTS_AT_ONCE) await turns?.acquire()
      await Bun.sleep(Math.random() * Math.min(2 ** attempts, MAX_WAIT_MS))
    }
  } finally {
    if (attempts >= ATTEMPTS_AT_ONCE) turns?.release()
  }
}
