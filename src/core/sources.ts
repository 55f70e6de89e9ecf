/** The clocks, ids and random bytes of production. All other code receives them as a dependency. */
import type { Sources } from '../../db/index.ts'

export interface AppSources extends Sources {
  /** Monotonic clock for durations and limits, in milliseconds. */
  elapsed(): number
}

export const realSources: AppSources = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  newId: () => Bun.randomUUIDv7(),
  randomBytes: size => crypto.getRandomValues(new Uint8Array(size)),
}
