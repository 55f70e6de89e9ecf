/** JSON with the members of objects in the order of their names: equal values have equal texts. */
export const canonicalJson = (value: unknown): string => JSON.stringify(value, sortMembers)

const sortMembers = (_: string, value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value
