/** Repeats what PostgreSQL refused because of concurrent work: the refused unit of work or statement has written nothing. */
import { DatabaseError, isRetryable } from '../errors.ts'
import type { Semaphore } from '../semaphore.ts'

/** Of work that takes longer than the time for repetitions. */
const MIN_ATTEMPTS = 5
/** Random waits up to twice as long each time, and up to this. Milliseconds. */
const MAX_WAIT_MS = 20

/** After this number, an attempt takes its turn: units of work of one hot row refuse each other for ever otherwise. */
const ATTEMPTS_AT_ONCE = 3

/**
 * `turns` limits how many units of work that conflict again and again run at once.
 * @throws DatabaseError `busy` when `work` still conflicts after `forMs` and at least five attempts
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
