/** Statements kept compiled: Drizzle compiles one at every use. */
import type { Database as Connection, Statement } from 'bun:sqlite'
import { LRUCache } from 'lru-cache'

/** Of one connection. */
const MAX_STATEMENTS = 500

/** Keeps the statements of a connection by their text. */
export function keepStatements(connection: Connection): { finalize(): void } {
  const kept = new LRUCache<string, Statement>({ max: MAX_STATEMENTS })
  const prepare = connection.prepare.bind(connection)
  // Guarantee of the cast: Drizzle prepares with the text alone.
  connection.prepare = ((text: string) => {
    const statement = kept.get(text) ?? prepare(withStablePlan(text))
    kept.set(text, statement)
    return statement
  }) as typeof connection.prepare
  return {
    finalize() {
      for (const statement of kept.values()) statement.finalize()
    },
  }
}

/**
 * SQLite compiles a join again whenever a parameter in its search condition changes, which costs several times the join.
 * It does not do so for an expression. Unary plus changes no value of any type. No text in quotes here has a question mark.
 */
const withStablePlan = (text: string) => (/^(select|with)\b/i.test(text) ? text.replaceAll('?', '+?') : text)
