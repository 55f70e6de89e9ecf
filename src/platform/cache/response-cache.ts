/**
 * Caches responses that take several queries, and invalidates them by tag after a commit. SQLite reports commits of other
 * processes, at which all responses expire. PostgreSQL does not (NOTIFY would serialise the commits that use it): a response
 * lives for less than a second.
 */
import { LRUCache } from 'lru-cache'
import { createInvalidations } from './invalidations.ts'

/** Counted from before the queries, so that a change in any process is visible within a second. */
const MAX_AGE_MS = 900
/** Size of all cached values together, as JSON. */
const MAX_BYTES = 16 * 1024 * 1024
/** Memory that an entry takes in addition to its value and name. */
const OVERHEAD_BYTES = 500

interface Cacheable<T> {
  value: T
  tags: string[]
  /** When the value becomes outdated without a write, such as at the start or end of an availability. */
  expiresAt?: Date | null
}

/** A cached value is returned as it is: a promise would cost more than the look-up. */
export type MaybePromise<T> = T | Promise<T>

/** The state of the cache when a computation started. */
interface Start {
  startedAt: number
  /** `ResponseCacheOptions.externalCommits` at the start. */
  externalCommits: number | null
  /** Number of the last invalidation before the start. */
  invalidated: number
}

interface Computation extends Start {
  value: Promise<unknown>
}

interface Entry extends Start {
  value: unknown
  /** The slots of its tags. */
  slots: number[]
  expiresAt: Date | null
}

/** Look-ups since the start of the process. */
export interface CacheCounts {
  hits: number
  misses: number
}

export interface ResponseCache {
  /** A reader that joins a running computation is a hit; each computation is a miss. */
  readonly counts: Readonly<CacheCounts>
  /**
   * The cached value of this name, or the result of `compute`. All callers get the same object and must not change it.
   * A failed computation is not cached and rejects for every caller that waits for it.
   */
  get<T>(name: string, compute: () => Promise<Cacheable<T>>): MaybePromise<T>
  /** Invalidates all responses with this tag. */
  invalidate(tag: string): void
}

export interface ResponseCacheOptions {
  /** Monotonic clock, in milliseconds. */
  elapsed(): number
  now(): Date
  /** A number that changes with each commit of another process, read at each call; null if the engine does not report them. */
  externalCommits(): number | null
  maxBytes?: number
}

export function createResponseCache({
  elapsed,
  now,
  externalCommits,
  maxBytes = MAX_BYTES,
}: ResponseCacheOptions): ResponseCache {
  const invalidations = createInvalidations()
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ value, slots }, name) =>
      (typeof value === 'string' ? value.length : JSON.stringify(value ?? null).length) +
      name.length +
      slots.length * 8 +
      OVERHEAD_BYTES,
  })
  const running = new Map<string, Computation>()
  const counts: CacheCounts = { hits: 0, misses: 0 }
  /** No other process is known to have committed since. */
  const isFresh = (start: Start) =>
    start.externalCommits === externalCommits() && elapsed() - start.startedAt < MAX_AGE_MS
  const isOutdated = ({ expiresAt, slots, invalidated }: Entry) =>
    slots.some(slot => invalidations.has(slot, invalidated)) || (expiresAt !== null && expiresAt <= now())

  function run<T>(name: string, compute: () => Promise<Cacheable<T>>): Promise<T> {
    counts.misses++
    const start = {
      startedAt: elapsed(),
      externalCommits: externalCommits(),
      invalidated: invalidations.last(),
    }
    const value = Promise.try(compute)
      .then(({ value, tags, expiresAt = null }) => {
        const other = running.get(name) ?? entries.peek(name)
        const isSuperseded =
          other !== undefined && other !== computation && other.startedAt >= start.startedAt
        if (!isSuperseded)
          entries.set(name, { ...start, value, slots: tags.map(invalidations.slotOf), expiresAt })
        return value
      })
      .finally(() => {
        if (running.get(name) === computation) running.delete(name)
      })
    const computation: Computation = { ...start, value }
    running.set(name, computation)
    return value
  }

  return {
    counts,
    // Guarantee of the casts: each name is used with one `compute`, and so has one type.
    get<T>(name: string, compute: () => Promise<Cacheable<T>>) {
      const entry = entries.get(name)
      if (entry && isFresh(entry) && !isOutdated(entry)) {
        counts.hits++
        return entry.value as T
      }
      const computation = running.get(name)
      // After an invalidation it may have read the previous state.
      if (computation && computation.invalidated === invalidations.last() && isFresh(computation)) {
        counts.hits++
        return computation.value as Promise<T>
      }
      return run(name, compute)
    },
    invalidate: invalidations.add,
  }
}
