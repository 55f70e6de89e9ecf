/**
 * The statements of `prepared`, built once in a process for all connections of a driver to the same tables. Drizzle takes several
 * times as long to build one as a connection to compile it, and each reader, transaction and snapshot is a connection.
 */
import { detached, driverOf } from './drizzle-internals.ts'
import type { Tables } from './schema/tables.ts'
import type { Reader } from './types.ts'

type Statements = Reader['statements']
/** Makes a statement run on a connection. */
type Bind = (statement: object) => object

/** By driver, then by name. Tables of another schema have other names. */
const built = new WeakMap<Tables, Map<unknown, Map<string, object>>>()

/** For connections that run a few statements: each use is a copy that `bind` makes. */
export function builtStatements(tables: Tables, queries: object, bind: Bind): Statements {
  const byDriver = built.getOrInsertComputed(tables, () => new Map())
  const shared = byDriver.getOrInsertComputed(driverOf(queries), () => new Map<string, object>())
  return {
    get(name) {
      const statement = shared.get(name)
      return statement && bind(statement)
    },
    set(name, statement) {
      // Guarantee of the cast: `prepared` sets Drizzle's prepared queries.
      shared.set(name, detached(statement as object))
      return this as Map<string, unknown>
    },
  }
}

/** For connections that last: each statement is bound once. */
export function keptStatements(tables: Tables, queries: object, bind: Bind): Statements {
  const shared = builtStatements(tables, queries, bind)
  const own = new Map<string, unknown>()
  return {
    get(name) {
      const kept = own.get(name)
      if (kept) return kept
      const statement = shared.get(name)
      if (statement) own.set(name, statement)
      return statement
    },
    set(name, statement) {
      shared.set(name, statement)
      return own.set(name, statement)
    },
  }
}
