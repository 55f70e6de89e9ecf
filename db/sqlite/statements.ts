/** A cache of compiled statements: Drizzle compiles a statement at every use. */
import type { Database as Connection, Statement } from 'bun:sqlite'
import { LRUCache } from 'lru-cache'

/** Per connection. */
const MAX_STATEMENTS = 500

/** Caches the statements of a connection by their text. */
export function cacheStatements(connection: Connection): { finalize(): void } {
  const cache = new LRUCache<string, Statement>({ max: MAX_STATEMENTS })
  const prepare = connection.prepare.bind(connection)
  // Guarantee of the cast: Drizzle passes only the text.
  connection.prepare = ((text: string) => {
    const statement = cache.get(text) ?? prepare(withStablePlan(text))
    cache.set(text, statement)
    return statement
  }) as typeof connection.prepare
  return {
    finalize() {
      for (const statement of cache.values()) statement.finalize()
    },
  }
}

/**
 * SQLite recompiles a statement whenever a parameter in a search condition changes, which costs several times the statement.
 * It does not recompile for an expression, and unary plus changes no value. No string literal of our SQL has a question mark.
 */
const withStablePlan = (text: string) => text.replaceAll('?', '+?')
