/** The stream of events, one for all components. */
import type { StreamEvent, Topic } from '@matchday/client'
import { useEffect, useRef, useState } from 'react'
import { useClient } from './provider.ts'

/**
 * Follows topics while the component is shown: events refresh what they change, and `onEvent` gets each. Returns whether the
 * stream is open.
 */
export function useStream(topics: readonly Topic[], onEvent?: (event: StreamEvent) => void): boolean {
  const { streams } = useClient()
  const [isOpen, setOpen] = useState(false)
  const latest = useRef(onEvent)
  useEffect(() => {
    latest.current = onEvent
  })
  const list = topics.join()
  useEffect(() => {
    // Guarantee of the cast: no topic has a comma.
    const followed = list.split(',').filter(topic => topic !== '') as Topic[]
    return streams.add({
      topics: followed,
      onEvent: event => latest.current?.(event),
      onConnection: setOpen,
    })
  }, [streams, list])
  return isOpen
}
