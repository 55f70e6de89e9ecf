/**
 * Keeps answers that cost several queries, and lets go of them when what they show has changed.
 *
 * A view names the topics that it depends on. Units of work touch topics, and after their commit the views of these topics
 * are gone: the next read in this process computes them anew. Of other processes' commits SQLite tells at once that there were
 * some, and then every view is gone; PostgreSQL does not, and a view therefore lives for less than a second. (NOTIFY would tell
 * sooner, at the price of putting all commits that notify in a line.)
 *
 * Readers of a view that is being computed wait for that one computation. After a touch nobody joins it any more, since it may have
 * read what was there before; and it is kept only if it turns out to depend on nothing that was touched.
 */
import { LRUCache } from 'lru-cache'

/** Counted from before the queries, so that a change anywhere shows within a second. */
const MOST_AGE_MS = 900
/** Size of all views together, as JSON. */
const MOST_BYTES = 16 * 1024 * 1024
/** What a view costs beside its text: its places in the maps. */
const OVERHEAD_BYTES = 500

export interface View<T> {
  value: T
  topics: string[]
  /** When the clock alone makes it untrue: a window that opens or closes. */
  until?: Date | null
}

/** What is there is there at once: a promise of it would be most of what it costs. */
export type Viewed<T> = T | Promise<T>

interface Begun {
  since: number
  /** Commits of other processes before it. */
  foreign: number | null
}

interface Run extends Begun {
  value: Promise<unknown>
  /** Topics that were touched meanwhile. */
  touched: Set<string>
}

interface Kept extends Begun {
  value: unknown
  topics: string[]
  until: Date | null
}

export interface ViewCache {
  /**
   * The view of this name, computed when there is none. All callers get the same object: it is not to be changed.
   * A computation that fails is not kept, and rejects for everybody who waits for it.
   */
  read<T>(name: string, compute: () => Promise<View<T>>): Viewed<T>
  /**
   * The same for what must be true at every use, such as whether a token still counts: kept only where the database knows
   * of every commit of other processes, and else computed each time.
   */
  readExactly<T>(name: string, compute: () => Promise<View<T>>): Viewed<T>
  /** The view of this name where it is there and still true, without computing it; else undefined. */
  peek(name: string): unknown
  /** Lets go of all views that depend on a topic. */
  revalidate(topic: string): void
}

export interface ViewCacheOptions {
  /** Milliseconds of a clock that never goes back. */
  elapsed(): number
  now(): Date
  /** Counts the commits of other processes, so that none goes unseen; null where nobody can know. */
  foreignCommits(): number | null
  mostBytes?: number
}

export function createViewCache({
  elapsed,
  now,
  foreignCommits,
  mostBytes = MOST_BYTES,
}: ViewCacheOptions): ViewCache {
  const namesByTopic = new Map<string, Set<string>>()
  const kept = new LRUCache<string, Kept>({
    maxSize: mostBytes,
    sizeCalculation: ({ value, topics }, name) =>
      (typeof value === 'string' ? value.length : JSON.stringify(value ?? null).length) +
      topics.reduce((sum, topic) => sum + topic.length, name.length) +
      OVERHEAD_BYTES,
    dispose: ({ topics }, name) => {
      for (const topic of topics) {
        const names = namesByTopic.get(topic)
        names?.delete(name)
        if (names?.size === 0) namesByTopic.delete(topic)
      }
    },
  })
  const running = new Map<string, Run>()
  const unfinished = new Set<Run>()
  /** No other process has written since, as far as anybody knows. */
  const isSame = ({ foreign }: Begun) => foreign === foreignCommits()
  const isFresh = (begun: Begun) => isSame(begun) && elapsed() - begun.since < MOST_AGE_MS
  const isOver = ({ until }: Kept) => until !== null && until <= now()

  function start<T>(name: string, compute: () => Promise<View<T>>): Promise<T> {
    const touched = new Set<string>()
    const begun = { since: elapsed(), foreign: foreignCommits() }
    const value = Promise.try(compute)
      .then(({ value, topics, until = null }) => {
        const newer = running.get(name) ?? kept.peek(name)
        const overtaken = newer !== undefined && newer !== run && newer.since >= begun.since
        if (!overtaken && touched.isDisjointFrom(new Set(topics))) {
          kept.set(name, { value, topics, until, ...begun })
          // A view larger than the whole cache was not taken.
          if (kept.has(name)) for (const topic of topics) add(topic, name)
        }
        return value
      })
      .finally(() => {
        unfinished.delete(run)
        if (running.get(name) === run) running.delete(name)
      })
    const run: Run = { ...begun, value, touched }
    unfinished.add(run)
    running.set(name, run)
    return value
  }

  function add(topic: string, name: string) {
    const names = namesByTopic.get(topic) ?? new Set()
    namesByTopic.set(topic, names.add(name))
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
      if (run && isFresh(run)) return run.value as Promise<T>
      return start(name, compute)
    },
    readExactly<T>(name: string, compute: () => Promise<View<T>>) {
      if (foreignCommits() === null) return Promise.try(compute).then(({ value }) => value)
      const hit = kept.get(name)
      if (hit && isSame(hit) && !isOver(hit)) return hit.value as T
      return start(name, compute)
    },
    revalidate(topic) {
      // What they will depend on is not known yet: nobody joins them any more, and they keep only what has not changed.
      running.clear()
      for (const run of unfinished) run.touched.add(topic)
      for (const name of [...(namesByTopic.get(topic) ?? [])]) kept.delete(name)
    },
  }
}
