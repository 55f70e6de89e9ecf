/** The stream of the fan's events, by which pages show what happens elsewhere. */
import { createEventSource } from 'eventsource-client'
import { freshToken } from './api.ts'

/**
 * Calls `onEvent` after each event, and when events may have been missed. Reconnects and resumes by itself. Returns a
 * function that ends it. With the browser's own `EventSource` see docs/stream.md.
 */
export function follow(onEvent: () => void): () => void {
  const stream = createEventSource({
    url: `${location.origin}/api/stream?topics=me`,
    // Each connection reads the token again: the stream ends when it expires.
    fetch: async (url, init) =>
      fetch(url, {
        ...init,
        headers: { ...init?.headers, authorization: `Bearer ${await freshToken()}` },
      }),
    onMessage: onEvent,
  })
  return () => stream.close()
}
