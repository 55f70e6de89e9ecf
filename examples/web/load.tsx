/** Data of a page with its states: loading, failed with a retry, ready. */
import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'

interface Loaded<T> {
  data: T | null
  error: string | null
  reload(): Promise<void>
  /** Runs a change, then reloads; a failure is shown above the data. */
  act(change: () => Promise<unknown>): Promise<void>
}

export function useLoaded<T>(load: () => Promise<T>): Loaded<T> {
  const [data, setData] = useState<T | null>(null)
  const [error, setError] = useState<string | null>(null)
  const reload = useCallback(async () => {
    try {
      setData(await load())
      setError(null)
    } catch (problem) {
      setError((problem as Error).message)
    }
  }, [])
  useEffect(() => void reload(), [reload])
  const act = async (change: () => Promise<unknown>) => {
    try {
      await change()
      await reload()
    } catch (problem) {
      setError((problem as Error).message)
    }
  }
  return { data, error, reload, act }
}

export function Loading<T>({
  of: { data, error, reload },
  children,
}: {
  of: Loaded<T>
  children: (data: T) => ComponentChildren
}) {
  return (
    <>
      {error && (
        <p role="alert">
          {error}{' '}
          <button type="button" onClick={reload}>
            Try again
          </button>
        </p>
      )}
      {data ? children(data) : !error && <p aria-busy="true">Loading…</p>}
    </>
  )
}
