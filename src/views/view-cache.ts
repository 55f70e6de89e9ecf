/**
 * Keeps answers that cost several queries, and lets go of them when what they show has changed.
 *
 * A view names the topics that it depends on. Units of work touch topics, and after their commit the views of these topics
 * are gone: the next read in this process computes them anew. Other processes on the same database hear nothing of it. A view
 * therefore lives for less than a second, which also bounds what changes with the clock alone. (PostgreSQL's NOTIFY would tell
 * them sooner, at the price of putting all commits that notify in a line.)
 *
 * Readers of a view that is being computed wait for that one computation. After a touch it is neither joined nor kept, since it
 * may have read what was there before.
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
}

interface Kept {
  value: unknown
  topics: string[]
  since: number
}

export interface ViewCache {
  /**
   * The view of this name, computed when there is none. All callers get the same object: it is not to be changed.
   * A computation that fails is not kept, and rejects for everybody who waits for it.
   */
  read<T>(name: string, compute: () => Promise<View<T>>): Promise<T>
  /** Lets go of all views that depend on a topic. */
  revalidate(topic: string): void
}

export interface ViewCacheOptions {
  /** Milliseconds of a clock that never goes back. */
  elapsed(): number
  mostBytes?: number
}

export function createViewCache({ elapsed, mostBytes = MOST_BYTES }: ViewCacheOptions): ViewCache {
  const namesByTopic = new Map<string, Set<string>>()
  const kept = new LRUCache<string, Kept>({
    maxSize: mostBytes,
    sizeCalculation: ({ value, topics }, name) =>
      JSON.stringify([name, value, topics]).length + OVERHEAD_BYTES,
    dispose: ({ topics }, name) => {
      for (const topic of topics) {
        const names = namesByTopic.get(topic)
        names?.delete(name)
        if (names?.size === 0) namesByTopic.delete(topic)
      }
    },
  })
  const running = new Map<string, { since: number; value: Promise<unknown> }>()
  const isFresh = ({ since }: { since: number }) => elapsed() - since < MOST_AGE_MS

  function start<T>(name: string, compute: () => Promise<View<T>>): Promise<T> {
    const since = elapsed()
    const run = {
      since,
      value: compute()
        .then(({ value, topics }) => {
          if (running.get(name) === run) {
            kept.set(name, { value, topics, since })
            // A view larger than the whole cache was not taken.
            if (kept.has(name)) for (const topic of topics) add(topic, name)
          }
          return value
        })
        .finally(() => {
          if (running.get(name) === run) running.delete(name)
        }),
    }
    running.set(name, run)
    return run.value
  }

  function add(topic: string, name: string) {
    const names = namesByTopic.get(topic) ?? new Set()
    namesByTopic.set(topic, names.add(name))
  }

  return {
    // Guarantee of the casts: a name belongs to one computation, and so to one type.
    async read<T>(name: string, compute: () => Promise<View<T>>) {
      const hit = kept.get(name)
      if (hit && isFresh(hit)) return hit.value as T
      const run = running.get(name)
      if (run && isFresh(run)) return run.value as Promise<T>
      return start(name, compute)
    },
    revalidate(topic) {
      // What they will depend on is not known yet.
      running.clear()
      for (const name of [...(namesByTopic.get(topic) ?? [])]) kept.delete(name)
    },
  }
}
