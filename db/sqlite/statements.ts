/**
 * A cache of compiled statements: Drizzle compiles a statement at every use. It replaces methods of bun:sqlite's objects, which
 * `requireMethods` checks; an option of Drizzle's driver for a cache of statements would replace it.
 */
import type { Database as Connection, Statement } from 'bun:sqlite'
import { LRUCache } from 'lru-cache'

/** Per connection. */
const MAX_STATEMENTS = 500

/** The methods that Drizzle calls. */
const STATEMENT_METHODS = ['all', 'run', 'values'] as const

/** @throws Error if an object of bun:sqlite lacks a method that is replaced */
function requireMethods(object: object, names: readonly string[]): void {
  const missing = names.filter(name => typeof Reflect.get(object, name) !== 'function')
  if (missing.length > 0)
    throw new Error(`bun:sqlite has no ${missing.join(', ')}; adapt db/sqlite/statements.ts to this version`)
}

/** Caches the statements of a connection by their text. */
export function cacheStatements(
  connection: Connection,
  adapt = (statement: Statement, _text: string) => statement,
) {
  /** Dropped from the cache: prepared queries may still use them. */
  let dropped: WeakRef<Statement>[] = []
  const cache = new LRUCache<string, Statement>({
    max: MAX_STATEMENTS,
    dispose: statement => {
      if (dropped.length >= MAX_STATEMENTS) dropped = dropped.filter(one => one.deref() !== undefined)
      dropped.push(new WeakRef(statement))
    },
  })
  requireMethods(connection, ['prepare'])
  const prepare = connection.prepare.bind(connection)
  // Guarantee of the cast: Drizzle passes only the text.
  connection.prepare = ((text: string) => {
    const cached = cache.get(text)
    if (cached) return cached
    const statement = adapt(prepare(withStablePlan(text)), text)
    cache.set(text, statement)
    return statement
  }) as typeof connection.prepare
  return {
    /** Before the connection is closed: a statement that is left would keep it, and its lock, open. */
    finalize() {
      for (const statement of cache.values()) statement.finalize()
      for (const statement of dropped) statement.deref()?.finalize()
      // Those that are unreachable are finalized when they are collected.
      if (dropped.length > 0) Bun.gc(true)
    },
  }
}

/**
 * Adapts statements of a reader: `enter` is called before each execution, and returns whether to use `writer` instead. The
 * first execution uses the reader, which refuses to write.
 */
export const onEither =
  (writer: Connection, enter: () => boolean) => (statement: Statement, text: string) => {
    let other: Statement | undefined
    requireMethods(statement, STATEMENT_METHODS)
    for (const name of STATEMENT_METHODS) {
      const execute = statement[name].bind(statement)
      // Guarantee of the cast: passes on what it gets, and returns the result.
      statement[name] = ((...parameters: never[]) => {
        if (enter() && other) return other[name](...parameters)
        const result = execute(...parameters)
        other ??= writer.prepare(text)
        return result
      }) as never
    }
    return statement
  }

/**
 * SQLite recompiles a statement whenever a parameter in a search condition changes, which costs several times as much as the
 * statement. It does not recompile for an expression, and unary plus changes no value. No string literal in our SQL contains
 * a question mark.
 */
const withStablePlan = (text: string) => text.replaceAll('?', '+?')
