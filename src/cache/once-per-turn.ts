/**
 * The same function, which calls `read` once in a turn of the event loop and repeats its result until the turn ends. Only for
 * what may be a turn old: a request of the same turn may have been sent after the call.
 */
export function oncePerTurn<T>(read: () => T): () => T {
  let known: { value: T } | undefined
  return () => {
    if (!known) {
      known = { value: read() }
      setImmediate(() => {
        known = undefined
      })
    }
    return known.value
  }
}
