/** The real clock, ids and randomness. Everything else takes them from `Deps`. */
import type { Sources } from '../db/index.ts'

export const realSources: Sources = {
  now: () => new Date(),
  newId: () => Bun.randomUUIDv7(),
  randomBytes: size => crypto.getRandomValues(new Uint8Array(size)),
}
