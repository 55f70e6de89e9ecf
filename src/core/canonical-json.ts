/** JSON with the members of objects in the order of their names: equal values have equal texts. */
export const canonicalJson = (value: unknown): string => JSON.stringify(inOrder(value))

/** A copy: `JSON.stringify` with a function takes three times as long. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (Array.isArray(value)) return value.map(inOrder)
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, inOrder(member)]))
}
