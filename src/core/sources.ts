/** The real clocks, ids and randomness. Everything else takes them from `Deps`. */
import type { Sources } from '../../db/index.ts'

export interface AppSources extends Sources {
  /** Milliseconds of a clock that never goes back, for ages and limits. */
  elapsed(): number
}

export const realSources: AppSources = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  newId: () => Bun.randomUUIDv7(),
  randomBytes: size => crypto.getRandomValues(new Uint8Array(size)),
}
