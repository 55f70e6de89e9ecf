/** A clock that stands still until a test moves it, and ids and bytes like the real ones. */
import { type AppSources, realSources } from '../../src/core/sources.ts'

export const KICK_OFF = Date.parse('2026-08-15T18:30:00.000Z')

export interface TestClock extends AppSources {
  /** Milliseconds since the epoch. */
  ms: number
  /** Time passes. */
  advance(ms: number): void
  /** Somebody sets the clock, ahead or back: no time passes. */
  set(by: number): void
}

export function createClock(): TestClock {
  let set = 0
  const clock: TestClock = {
    ...realSources,
    ms: KICK_OFF,
    // Of the clock, not of `this`: the sources are spread into other objects.
    now: () => new Date(clock.ms),
    elapsed: () => clock.ms - set,
    advance(ms) {
      clock.ms += ms
    },
    set(by) {
      clock.ms += by
      set += by
    },
  }
  return clock
}
