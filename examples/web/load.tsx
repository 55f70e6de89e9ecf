/** Data of a screen with its states: loading, failed with a retry, ready; and writes that are sent once. */
import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { hasCode, ProblemError } from './api.ts'
import { text } from './lang/lang.ts'
import { AsOf } from './parts/as-of.tsx'
import { Notice } from './parts/notice.tsx'
import { watchSession } from './session.ts'

/** The last data of screens, so that Back shows them at once while they are read again, with the time when they were read. */
const shown = new Map<string, { data: unknown; asOf: number }>()
watchSession(() => shown.clear())

export interface Loaded<T> {
  data: T | null
  /** When the data was read, or changed by a write. */
  asOf: number | null
  error: unknown
  reload(): Promise<void>
  set(data: T): void
}

/** `key`: the same for the same data. */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  // Guarantee of the cast: a key names the data of one `load`.
  const known = shown.get(key)
  const [state, setState] = useState({
    key,
    data: (known?.data ?? null) as T | null,
    asOf: known?.asOf ?? null,
    error: null as unknown,
  })
  const latest = useRef(load)
  latest.current = load
  const current = useRef(key)
  current.current = key
  const reload = useCallback(async () => {
    try {
      const data = await latest.current()
      if (current.current !== key) return
      const asOf = Date.now()
      shown.set(key, { data, asOf })
      setState({ key, data, asOf, error: null })
    } catch (error) {
      if (current.current === key)
        setState(old => ({ ...(old.key === key ? old : { key, data: null, asOf: null }), error }))
    }
  }, [key])
  useEffect(() => {
    void reload()
    const onOnline = () => void reload()
    // The data of a tab may be hours old.
    const onVisible = () => document.visibilityState === 'visible' && void reload()
    addEventListener('online', onOnline)
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      removeEventListener('online', onOnline)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [reload])
  const set = (data: T) => {
    const asOf = Date.now()
    shown.set(key, { data, asOf })
    setState({ key, data, asOf, error: null })
  }
  const isCurrent = state.key === key
  return {
    data: isCurrent ? state.data : ((known?.data ?? null) as T | null),
    asOf: isCurrent ? state.asOf : (known?.asOf ?? null),
    error: isCurrent ? state.error : null,
    reload,
    set,
  }
}

/** How long to retry after an instant, in case the clock of this device is ahead of the server's. */
const CLOCKS_DIFFER_MS = 60_000
const AGAIN_MS = 5_000
/** Timers cannot wait longer. */
const LONGEST_MS = 86_400_000

/** Whether the instant is to come, by this device's clock. */
export const isAhead = (instant: string | null | undefined): instant is string =>
  instant != null && Date.parse(instant) > Date.now()

/** Reads again when one of the instants is reached, such as the start of a sale. */
export function useReloadAt(instants: (string | null | undefined)[], reload: () => Promise<void>): void {
  const [round, setRound] = useState(0)
  const times = instants.flatMap(instant => (instant == null ? [] : Date.parse(instant)))
  const written = times.join()
  useEffect(() => {
    const now = Date.now()
    const waits = written.split(',').map(time => Number(time) - now)
    const isDue = waits.some(wait => wait <= 0 && wait > -CLOCKS_DIFFER_MS)
    const next = Math.min(...waits.filter(wait => wait > 0), isDue ? AGAIN_MS : Number.POSITIVE_INFINITY)
    if (written === '' || !Number.isFinite(next)) return
    const timer = setTimeout(
      () => {
        void reload()
        setRound(round + 1)
      },
      Math.min(next, LONGEST_MS),
    )
    return () => clearTimeout(timer)
  }, [written, round, reload])
}

interface LoadingProps<T> {
  of: Loaded<T>
  /** Shown until there is data. */
  skeleton?: ComponentChildren
  children: (data: T) => ComponentChildren
}

export function Loading<T>({ of: { data, asOf, error, reload }, skeleton, children }: LoadingProps<T>) {
  return (
    <>
      {error !== null && <Notice error={error} onRetry={reload} />}
      {error !== null && data !== null && asOf !== null && <AsOf instant={asOf} />}
      {data !== null
        ? children(data)
        : error === null && (
            <div aria-busy="true">
              <span class="unseen">{text.states.loading}</span>
              <div aria-hidden="true">{skeleton ?? <Bones />}</div>
            </div>
          )}
    </>
  )
}

/** A placeholder for a list that is loading. */
export const Bones = ({ count = 4, kind = 'row' }: { count?: number; kind?: 'row' | 'tile' | 'card' }) => (
  <div class={`bones bones-${kind}`}>
    {Array.from({ length: count }, (_, nth) => (
      <div key={nth} class="bone" />
    ))}
  </div>
)

export interface Write<Input> {
  isBusy: boolean
  /** The input that is being sent. */
  busy: Input | null
  error: unknown
  run(input: Input): Promise<void>
  /** Repeats the failed write. */
  again(): Promise<void>
}
type State<Input> = Omit<Write<Input>, 'run' | 'again'>

/**
 * Sends a write once: while it is sent, another click does nothing. An attempt with an unknown result is repeated with the
 * same `Idempotency-Key`, so that it takes effect once.
 */
export function useWrite<Input>(send: (input: Input, key: string) => Promise<void>): Write<Input> {
  const [state, setState] = useState<State<Input>>({ isBusy: false, busy: null, error: null })
  const running = useRef(false)
  const sent = useRef<{ input: Input } | null>(null)
  const intent = useRef<{ input: string; key: string } | null>(null)
  const run = async (input: Input) => {
    if (running.current) return
    running.current = true
    sent.current = { input }
    setState({ isBusy: true, busy: input, error: null })
    const written = JSON.stringify(input)
    if (intent.current?.input !== written) intent.current = { input: written, key: crypto.randomUUID() }
    try {
      await send(input, intent.current.key)
      intent.current = null
      setState({ isBusy: false, busy: null, error: null })
    } catch (error) {
      if (isFinal(error)) intent.current = null
      setState({ isBusy: false, busy: null, error })
    } finally {
      running.current = false
    }
  }
  const again = async () => {
    if (sent.current) await run(sent.current.input)
  }
  return { ...state, run, again }
}

/** Whether the server refused the write. After a network failure or a temporary error, it may have taken effect. */
const isFinal = (error: unknown) =>
  error instanceof ProblemError &&
  error.problem.status < 500 &&
  !hasCode(error, 'rate_limited', 'idempotency_in_progress', 'request_timeout')
