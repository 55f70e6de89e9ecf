/**
 * Cached data by operation and input: shown at once, read again when it may have changed, with one request at
 * a time.
 */
import type { Data, ProblemCode, ProblemOf, ReadId } from '@matchday/client'

type Problem = ProblemOf<ProblemCode>
type AnyResult = { data: unknown; error: Problem | null }

export interface Read {
  /** The data of the last successful read; null before. */
  data: unknown
  /** The error of the last read; null if it succeeded. */
  error: Problem | null
  /** Whether a read is under way, the first or another one. */
  isReading: boolean
}

interface Entry {
  get(): Read
  /** Reads if the cached data may be old. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void
  /** Reads again. */
  refresh(): void
}

export interface Cache {
  entryOf(id: ReadId, input: object | undefined): Entry
  /** Reads again what is shown, of these operations or all; the rest when it is shown next. */
  refresh(ids?: readonly ReadId[]): void
  /** Reads again what is shown and may be old. */
  revalidate(): void
  /** Changes what was read, without a request. */
  update<Id extends ReadId>(id: Id, change: (data: Data<Id>) => Data<Id>): void
  /** Forgets everything: another fan must not see it. */
  clear(): void
}

export const UNREAD: Read = { data: null, error: null, isReading: true }
/** Above this number, entries that are not shown are removed, the oldest first. */
const MAX_ENTRIES = 200

/** The same for the same input. What JSON cannot hold is never sent. */
export function textOf(input: object | undefined): string {
  try {
    return JSON.stringify(input ?? {})
  } catch {
    return ''
  }
}

interface Kept extends Entry {
  id: ReadId
  state: Read
  isShown(): boolean
  set(state: Read): void
  markOld(): void
  isOld(): boolean
  reset(): void
}

/** `freshMs`: what is younger is not read again when a component shows it. */
export function createCache(
  call: (id: ReadId, input: object | undefined) => Promise<AnyResult>,
  freshMs: number,
  onProblem: (problem: Problem) => void,
): Cache {
  const entries = new Map<string, Kept>()

  function createEntry(key: string, id: ReadId, input: object | undefined): Kept {
    const listeners = new Set<() => void>()
    let readAt = Number.NEGATIVE_INFINITY
    /** The read whose response counts: one that began before a change, or for another fan, does not. */
    let latest: object | null = null

    async function refresh() {
      const own = {}
      latest = own
      readAt = Date.now()
      if (!entry.state.isReading) entry.set({ ...entry.state, isReading: true })
      const { data, error } = await call(id, input)
      if (latest !== own) return
      latest = null
      entry.set({ data: error === null ? data : entry.state.data, error, isReading: false })
      if (error === null) return
      entry.markOld()
      onProblem(error)
    }

    const entry: Kept = {
      id,
      state: UNREAD,
      get: () => entry.state,
      isShown: () => listeners.size > 0,
      set(state) {
        entry.state = state
        for (const listener of listeners) listener()
      },
      refresh: () => void refresh(),
      isOld: () => Date.now() - readAt >= freshMs,
      markOld() {
        readAt = Number.NEGATIVE_INFINITY
      },
      reset() {
        latest = null
        entry.markOld()
        entry.set(UNREAD)
      },
      subscribe(listener) {
        listeners.add(listener)
        // It may have been forgotten since it was rendered.
        entries.set(key, entry)
        if (entry.isOld()) entry.refresh()
        return () => listeners.delete(listener)
      },
    }
    return entry
  }

  function forgetOldest() {
    for (const [key, entry] of entries) {
      if (entries.size <= MAX_ENTRIES) return
      if (!entry.isShown()) entries.delete(key)
    }
  }

  /** Entries that are not shown are read again only when they are shown. */
  function reread(wanted: (entry: Kept) => boolean) {
    for (const entry of entries.values()) {
      if (!wanted(entry)) continue
      if (entry.isShown()) entry.refresh()
      else entry.markOld()
    }
  }

  return {
    entryOf(id, input) {
      const key = `${id} ${textOf(input)}`
      const found = entries.get(key)
      if (found) return found
      const entry = createEntry(key, id, input)
      entries.set(key, entry)
      forgetOldest()
      return entry
    },
    refresh: ids => reread(({ id }) => ids?.includes(id) ?? true),
    revalidate: () => reread(entry => entry.isOld()),
    update(wanted, change) {
      // Guarantee of the cast: the entries of an operation have its data.
      for (const { id, state, set } of entries.values())
        if (id === wanted && state.data !== null)
          set({ ...state, data: change(state.data as Data<typeof wanted>) })
    },
    clear() {
      for (const [key, entry] of entries) {
        entry.reset()
        if (entry.isShown()) entry.refresh()
        else entries.delete(key)
      }
    },
  }
}
