/** What `work` returns; undefined if it throws. For parsers that throw at what they cannot read. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
