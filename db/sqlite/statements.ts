/** A cache of compiled statements: Drizzle compiles a statement at every use. */
import type { Database as Connection, Statement } from 'bun:sqlite'
import { LRUCache } from 'lru-cache'

/** Per connection. */
const MAX_STATEMENTS = 500

/** Caches the statements of a connection by their text. `beforeEach` is called before each of their executions. */
export function cacheStatements(connection: Connection, beforeEach?: () => void): { finalize(): void } {
  const cache = new LRUCache<string, Statement>({ max: MAX_STATEMENTS })
  const prepare = connection.prepare.bind(connection)
  // Guarantee of the cast: Drizzle passes only the text.
  connection.prepare = ((text: string) => {
    const cached = cache.get(text)
    if (cached) return cached
    const statement = prepare(withStablePlan(text))
    if (beforeEach) callBefore(statement, beforeEach)
    cache.set(text, statement)
    return statement
  }) as typeof connection.prepare
  return {
    finalize() {
      for (const statement of cache.values()) statement.finalize()
    },
  }
}

/** The methods that Drizzle calls. */
function callBefore(statement: Statement, call: () => void): void {
  for (const name of ['all', 'run', 'values'] as const) {
    const execute = statement[name].bind(statement)
    // Guarantee of the cast: passes on what it gets, and returns the result.
    statement[name] = ((...parameters: never[]) => {
      call()
      return execute(...parameters)
    }) as never
  }
}

/**
 * SQLite recompiles a statement whenever a parameter in a search condition changes, which costs several times the statement.
 * It does not recompile for an expression, and unary plus changes no value. No string literal of our SQL has a question mark.
 */
const withStablePlan = (text: string) => text.replaceAll('?', '+?')
