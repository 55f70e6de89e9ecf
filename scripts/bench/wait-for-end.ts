/** Waits for work of a server. How long it takes depends on the machine: only work that no longer advances fails. */

/** A busy machine can stop a server for seconds. */
const STILL_MS = 120_000

export interface Waiting {
  /** Of the error if it no longer advances. */
  problem: string
  everyMs: number
  /** How far it is: a value that changes while it advances. Null: it has ended. */
  progress: () => Promise<string | number | null>
  stillMs?: number
}

export async function waitForEnd({ problem, everyMs, progress, stillMs = STILL_MS }: Waiting): Promise<void> {
  let [last, changedAt] = [await progress(), performance.now()]
  while (last !== null) {
    await Bun.sleep(everyMs)
    const next = await progress()
    if (next !== last) changedAt = performance.now()
    else if (performance.now() - changedAt > stillMs) throw new Error(problem)
    last = next
  }
}
