/** A read of the API with its states. */
import type { Data, Failure, Input, ReadId } from '@matchday/client'
import { useSyncExternalStore } from 'react'
import { type Read, UNREAD } from './cache.ts'
import { useClient } from './provider.ts'

export interface ReadState<Id extends ReadId> {
  /** The data of the last successful read; null before. It stays during another read, and if that fails. */
  data: Data<Id> | null
  /** The error of the last read; null if it succeeded. */
  error: Failure<Id> | null
  /** Whether a read is under way. Without `data` it is the first. */
  isReading: boolean
  /** Reads again, for example after a failure. */
  refresh(): void
}

type Arguments<Id extends ReadId> =
  Record<never, never> extends Input<Id> ? [input?: Input<Id> | null] : [input: Input<Id> | null]

const SKIPPED: Read = { data: null, error: null, isReading: false }
const nothing = { get: () => SKIPPED, subscribe: () => () => {}, refresh: () => {} }
const getUnread = () => UNREAD

/**
 * Reads data, and shares it with other components. It is read again when a component mounts, after each
 * write, and after events of the stream; meanwhile the cached data is shown. `input` null: reads nothing yet.
 */
export function useRead<Id extends ReadId>(id: Id, ...[input]: Arguments<Id>): ReadState<Id> {
  const { cache } = useClient()
  // Guarantee of the cast: inputs are objects.
  const entry = input === null ? nothing : cache.entryOf(id, input as object | undefined)
  const state = useSyncExternalStore(entry.subscribe, entry.get, input === null ? entry.get : getUnread)
  // Guarantee of the cast: the entry has the results of the operation.
  return { ...(state as Pick<ReadState<Id>, 'data' | 'error' | 'isReading'>), refresh: entry.refresh }
}
