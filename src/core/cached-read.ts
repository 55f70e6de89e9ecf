/** A read from the database that no probe and no scrape waits for long, and that many of them share. */
import { withDeadline } from '../../db/deadline.ts'

export interface CachedReadOptions {
  /** Monotonic clock, in milliseconds. */
  elapsed(): number
  /** How long a value is used. Milliseconds. */
  maxAgeMs: number
  /** How long a caller waits. Milliseconds. */
  deadlineMs: number
}

/**
 * Returns a function that resolves to the value, or to null when `read` fails or takes too long. At most one read runs, so a
 * database that does not respond is asked once; a late value is used by later callers.
 */
export function createCachedRead<Value>(
  read: () => Promise<Value>,
  { elapsed, maxAgeMs, deadlineMs }: CachedReadOptions,
): () => Promise<Value | null> {
  let held: { value: Value; at: number } | undefined
  let running: Promise<Value> | undefined

  async function readNow(): Promise<Value> {
    const at = elapsed()
    try {
      const value = await read()
      held = { value, at }
      return value
    } finally {
      running = undefined
    }
  }

  return async () => {
    if (held && elapsed() - held.at < maxAgeMs) return held.value
    running ??= readNow()
    return withDeadline(running, deadlineMs, () => new Error('the read takes too long')).catch(() => null)
  }
}
