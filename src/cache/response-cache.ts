/**
 * Keeps answers that cost several queries, and lets go of them when what they show has changed.
 *
 * A view names the tags that it depends on. Units of work invalidate tags, and after their commit the views of these tags
 * are over: the next read in this process computes them anew. Of other processes' commits SQLite tells at once that there were
 * some, and then every view is over; PostgreSQL does not, and a view therefore lives for less than a second. (NOTIFY would tell
 * sooner, at the price of putting all commits that notify in a line.)
 *
 * Readers of a view that is being computed wait for that one computation. After an invalidation nobody joins it any more, since it may have
 * read what was there before; and what comes of it is over at once if it turns out to depend on what was invalidated.
 */
import { LRUCache } from 'lru-cache'

/** Counted from before the queries, so that a change anywhere shows within a second. */
const MOST_AGE_MS = 900
/** Size of all views together, as JSON. */
const MOST_BYTES = 16 * 1024 * 1024
/** What a view costs beside its text: its places in the maps. */
const OVERHEAD_BYTES = 500
/** Tags that share a place end each other's views, which costs a computation. */
const PLACES = 65_536

interface View<T> {
  value: T
  tags: string[]
  /** When the clock alone makes it untrue: a window that opens or closes. */
  until?: Date | null
}

/** What is there is there at once: a promise of it would be most of what it costs. */
export type Viewed<T> = T | Promise<T>

interface Begun {
  since: number
  /** `ViewCacheOptions.foreignCommits` before it. */
  foreign: number | null
  /** Invalidations before it. */
  invalidations: number
}

interface Run extends Begun {
  value: Promise<unknown>
}

interface Kept extends Begun {
  value: unknown
  /** Where its tags record their invalidations. One alone, as most have: thousands of lists would be dear to collect. */
  places: number | number[]
  until: Date | null
}

export interface ViewCache {
  /**
   * The view of this name, computed when there is none. All callers get the same object: it is not to be changed.
   * A computation that fails is not kept, and rejects for everybody who waits for it.
   */
  read<T>(name: string, compute: () => Promise<View<T>>): Viewed<T>
  /**
   * The same for what must be true at every use, such as token validity: kept only where the database tells of every commit
   * of other processes, and asked for that at each use; else computed each time.
   */
  readExactly<T>(name: string, compute: () => Promise<View<T>>): Viewed<T>
  /** The view of this name where it is there and still true, without computing it; else undefined. */
  peek(name: string): unknown
  /** Ends all views that depend on a tag. */
  invalidate(tag: string): void
}

export interface ViewCacheOptions {
  /** Milliseconds of a clock that never goes back. */
  elapsed(): number
  now(): Date
  /** Changes with each commit of another process, read from the database at each call; null where the engine does not tell. */
  foreignCommits(): number | null
  mostBytes?: number
}

export function createViewCache({
  elapsed,
  now,
  foreignCommits,
  mostBytes = MOST_BYTES,
}: ViewCacheOptions): ViewCache {
  /** The number of the last invalidation of each place. */
  const invalidatedAt = new Float64Array(PLACES)
  let invalidations = 0
  const kept = new LRUCache<string, Kept>({
    maxSize: mostBytes,
    sizeCalculation: ({ value, places }, name) =>
      (typeof value === 'string' ? value.length : JSON.stringify(value ?? null).length) +
      name.length +
      (typeof places === 'number' ? 0 : places.length * 8) +
      OVERHEAD_BYTES,
  })
  const running = new Map<string, Run>()
  /** No other process has written since, as far as anybody knows. */
  const isSame = ({ foreign }: Begun) => foreign === foreignCommits()
  const isFresh = (begun: Begun) => isSame(begun) && elapsed() - begun.since < MOST_AGE_MS
  const isOver = ({ until, places, invalidations }: Kept) => {
    const isInvalidated = (place: number) => (invalidatedAt[place] ?? 0) > invalidations
    return (
      (typeof places === 'number' ? isInvalidated(places) : places.some(isInvalidated)) ||
      (until !== null && until <= now())
    )
  }

  function start<T>(name: string, compute: () => Promise<View<T>>): Promise<T> {
    const begun = { since: elapsed(), foreign: foreignCommits(), invalidations }
    const value = Promise.try(compute)
      .then(({ value, tags, until = null }) => {
        const newer = running.get(name) ?? kept.peek(name)
        const overtaken = newer !== undefined && newer !== run && newer.since >= begun.since
        if (!overtaken) kept.set(name, { ...begun, value, places: placesOf(tags), until })
        return value
      })
      .finally(() => {
        if (running.get(name) === run) running.delete(name)
      })
    const run: Run = { ...begun, value }
    running.set(name, run)
    return value
  }

  function peek(name: string): unknown {
    const hit = kept.get(name)
    return hit && isFresh(hit) && !isOver(hit) ? hit.value : undefined
  }

  return {
    peek,
    // Guarantee of the casts: a name belongs to one computation, and so to one type.
    read<T>(name: string, compute: () => Promise<View<T>>) {
      const hit = peek(name)
      if (hit !== undefined) return hit as T
      const run = running.get(name)
      if (run && run.invalidations === invalidations && isFresh(run)) return run.value as Promise<T>
      return start(name, compute)
    },
    readExactly<T>(name: string, compute: () => Promise<View<T>>) {
      if (foreignCommits() === null) return Promise.try(compute).then(({ value }) => value)
      const hit = kept.get(name)
      if (hit && isSame(hit) && !isOver(hit)) return hit.value as T
      return start(name, compute)
    },
    invalidate(tag) {
      invalidatedAt[placeOf(tag)] = ++invalidations
    },
  }
}

const placeOf = (tag: string) => Bun.hash.xxHash32(tag) % PLACES

function placesOf(tags: string[]): number | number[] {
  const places = tags.map(placeOf)
  return places.length === 1 ? (places[0] ?? 0) : places
}
