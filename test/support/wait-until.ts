/** Waits for what happens elsewhere: in another process, or after an answer. The only file of the tests that sleeps. */

/** Generous: only a test that would fail waits for so long. */
const DEADLINE_MS = 240_000

/** The event loop turns once: timers, input and output that are due have run. */
export const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

/** For what must not happen: several turns in which it could. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn()
}

/**
 * Polls until `condition` holds, and answers what it gave. `everyMs`: for a condition that costs something.
 * @throws Error that names `what` after the deadline
 */
export async function waitUntil<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs = DEADLINE_MS,
  everyMs = 2,
): Promise<Exclude<T, false | null | undefined>> {
  const end = performance.now() + deadlineMs
  for (;;) {
    const value = await condition()
    // Guarantee of the cast: the condition of this line.
    if (value !== false && value !== null && value !== undefined)
      return value as Exclude<T, false | null | undefined>
    if (performance.now() > end) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`)
    await Bun.sleep(everyMs)
  }
}
