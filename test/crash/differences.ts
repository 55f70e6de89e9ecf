/** Compares two lists of names, in which a name may occur several times. */
/** The differences of two lists that should have the same members, each equally often. */
export function differences(noun: string, expected: string[], found: string[]): string[] {
  const surplus = new Map<string, number>()
  for (const name of found) surplus.set(name, (surplus.get(name) ?? 0) + 1)
  for (const name of expected) surplus.set(name, (surplus.get(name) ?? 0) - 1)
  return [...surplus].flatMap(([name, times]) => {
    if (times === 0) return []
    return [times > 0 ? `${noun} ${name}: ${times} too many` : `${noun} ${name}: missing`]
  })
}
