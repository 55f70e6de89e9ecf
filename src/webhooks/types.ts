/** Which event types an endpoint asked for: a type, every type of a group (`quest.*`), or all (`*`). */

const PATTERN = /^(\*|[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*\.\*)$/

/** Stored separated by spaces, which no type contains. */
export const parseTypes = (types: string): string[] => types.split(' ')

export const matchesType = (patterns: string[], type: string): boolean =>
  patterns.some(pattern => (pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type))

/** Patterns may also match events of other systems, so only a type that is written out must be known. */
export const isKnownType = (pattern: string, known: readonly string[]): boolean =>
  PATTERN.test(pattern) || known.includes(pattern)
