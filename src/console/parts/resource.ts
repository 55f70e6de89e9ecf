/** Data of a screen with its states, lists by cursor, and writes that are sent once. */
import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { hasCode, UnreachableError } from '../api.ts'
import { remember, shownBefore } from '../shown.ts'
import { toast } from './toast.tsx'

export interface Resource<T> {
  /** The last data, also while it is read again or a read fails. */
  readonly data: T | null
  /** The error of the last read. */
  readonly error: unknown
  readonly isLoading: boolean
  reload(): Promise<void>
  /** Shows the response of a write, without reading again. */
  set(data: T): void
}

interface Reading<T> {
  data: Signal<T | null>
  error: Signal<unknown>
  isLoading: Signal<boolean>
  abort: AbortController | null
}

/** One read at a time; a later one replaces an earlier one. */
async function runRead<T>(reading: Reading<T>, key: string, load: (signal: AbortSignal) => Promise<T>) {
  reading.abort?.abort()
  const abort = new AbortController()
  reading.abort = abort
  reading.isLoading.value = true
  try {
    const data = await load(abort.signal)
    if (abort.signal.aborted) return
    remember(key, data)
    reading.data.value = data
    reading.error.value = null
  } catch (error) {
    if (!abort.signal.aborted) reading.error.value = error
  } finally {
    if (reading.abort === abort) reading.isLoading.value = false
  }
}

/**
 * Reads data for a component. `key` names it: the same for the same data; null reads nothing. It is read again when the
 * network is back, when the tab is shown again, and each `pollMs` while it is shown.
 */
export function useResource<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  { pollMs }: { pollMs?: number } = {},
): Resource<T> {
  const latest = useRef(load)
  latest.current = load
  const reading = useMemo<Reading<T>>(
    () => ({
      // Guarantee of the cast: a key names the data of one `load`.
      data: signal((key === null ? null : shownBefore(key)) as T | null),
      error: signal<unknown>(null),
      isLoading: signal(key !== null),
      abort: null,
    }),
    [key],
  )
  const resource = useMemo<Resource<T>>(
    () => ({
      get data() {
        return reading.data.value
      },
      get error() {
        return reading.error.value
      },
      get isLoading() {
        return reading.isLoading.value
      },
      reload: async () => {
        if (key !== null) await runRead(reading, key, latest.current)
      },
      set(data) {
        if (key !== null) remember(key, data)
        reading.data.value = data
        reading.error.value = null
      },
    }),
    [reading, key],
  )
  useEffect(() => {
    if (key === null) return
    void resource.reload()
    const again = () => {
      if (document.visibilityState === 'visible') void resource.reload()
    }
    addEventListener('online', again)
    document.addEventListener('visibilitychange', again)
    const timer = pollMs === undefined ? undefined : setInterval(again, pollMs)
    return () => {
      removeEventListener('online', again)
      document.removeEventListener('visibilitychange', again)
      clearInterval(timer)
      reading.abort?.abort()
    }
  }, [resource, reading, key, pollMs])
  return resource
}

export interface Paged<T> extends Resource<T[]> {
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  /** The error of the last attempt to read more. */
  readonly moreError: unknown
  more(): Promise<void>
}

interface Batch<T> {
  items: T[]
  nextCursor: string | null
}

/** Maximum rows that a reload reads again, so that the list keeps its length and the user keeps the position. */
const REREAD_MAX = 1_000

/** A list by cursor: the first page is read as `useResource` does, later ones by `more()`. `DataTable` takes it as `pages`. */
export function usePages<T>(
  key: string | null,
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Batch<T>>,
  options: { pollMs?: number } = {},
): Paged<T> {
  const first = useResource<Batch<T>>(
    key,
    async abort => {
      const rows = Math.min(first.data?.items.length ?? 0, REREAD_MAX)
      let batch = await load(undefined, abort)
      while (batch.nextCursor !== null && batch.items.length < rows) {
        const next = await load(batch.nextCursor, abort)
        batch = { items: [...batch.items, ...next.items], nextCursor: next.nextCursor }
      }
      return batch
    },
    options,
  )
  const latest = useRef(load)
  latest.current = load
  const following = useMemo(
    () => ({ busy: signal(false), error: signal<unknown>(null), abort: new AbortController() }),
    [key],
  )
  useEffect(() => () => following.abort.abort(), [following])
  return {
    get data() {
      return first.data?.items ?? null
    },
    get error() {
      return first.error
    },
    get isLoading() {
      return first.isLoading
    },
    get hasMore() {
      return first.data != null && first.data.nextCursor !== null
    },
    get isLoadingMore() {
      return following.busy.value
    },
    get moreError() {
      return following.error.value
    },
    reload: () => first.reload(),
    set: items => first.set({ items, nextCursor: first.data?.nextCursor ?? null }),
    async more() {
      const known = first.data
      if (known === null || known.nextCursor === null || following.busy.peek()) return
      following.busy.value = true
      try {
        const next = await latest.current(known.nextCursor, following.abort.signal)
        // Skipped if a reload has ended meanwhile, since its pages have other cursors.
        if (first.data === known)
          first.set({ items: [...known.items, ...next.items], nextCursor: next.nextCursor })
        following.error.value = null
      } catch (error) {
        if (!following.abort.signal.aborted) following.error.value = error
      } finally {
        following.busy.value = false
      }
    },
  }
}

export interface Action<Input> {
  readonly isBusy: boolean
  readonly error: unknown
  /**
   * True if it succeeded, or if another person must confirm it first, which a toast says. While it runs, another call does
   * nothing.
   */
  run(input: Input): Promise<boolean>
  /** Forgets the error. */
  clear(): void
}

/** A write of a button or a form. A repeat of an attempt without a response has the same `requestId`. */
export function useAction<Input = void>(
  send: (input: Input, requestId: string) => Promise<unknown>,
): Action<Input> {
  const latest = useRef(send)
  latest.current = send
  return useMemo(() => {
    const busy = signal(false)
    const failure = signal<unknown>(null)
    let intent: { input: string; requestId: string } | null = null
    return {
      get isBusy() {
        return busy.value
      },
      get error() {
        return failure.value
      },
      clear() {
        failure.value = null
      },
      async run(input) {
        if (busy.peek()) return false
        busy.value = true
        failure.value = null
        const written = JSON.stringify(input) ?? ''
        if (intent?.input !== written) intent = { input: written, requestId: crypto.randomUUID() }
        try {
          await latest.current(input, intent.requestId)
          intent = null
          return true
        } catch (error) {
          if (hasCode(error, 'approval_required')) {
            intent = null
            toast('Another person must confirm this. The request is listed under Approvals.')
            return true
          }
          // A request without a response may have taken effect, so the next attempt repeats the same request.
          if (!(error instanceof UnreachableError)) intent = null
          failure.value = error
          return false
        } finally {
          busy.value = false
        }
      },
    }
  }, [])
}
