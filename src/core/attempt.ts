/** What `work` returns; undefined if it throws. For parsers that throw on invalid input. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
