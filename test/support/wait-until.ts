/** Waits for what happens elsewhere: in another process, or after an answer. */

/** Generous: only a test that would fail waits for so long. */
const DEADLINE_MS = 60_000

/** Polls until `condition` holds, and answers what it gave. @throws Error that names `what` after the deadline */
export async function waitUntil<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs = DEADLINE_MS,
): Promise<Exclude<T, false | null | undefined>> {
  const end = performance.now() + deadlineMs
  for (;;) {
    const value = await condition()
    // Guarantee of the cast: the condition of this line.
    if (value !== false && value !== null && value !== undefined)
      return value as Exclude<T, false | null | undefined>
    if (performance.now() > end) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`)
    await Bun.sleep(2)
  }
}
