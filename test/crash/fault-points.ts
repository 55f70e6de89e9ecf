/**
 * Fault points: places between two statements of a unit of work at which a test injects a fault. They wrap the transaction
 * that verbs receive, so that production code does not contain them.
 */
import type { Database, Transaction } from '../../db/index.ts'
import type { Engine } from '../support/engines.ts'

export interface FaultPoints {
  /**
   * Called before each statement of a unit of work, with its number from 1 on; before the COMMIT, with the next number; and
   * after the COMMIT with `committed`. An error that it throws is thrown by the statement.
   */
  reach: (point: number | 'committed', tx: Transaction | null) => void | Promise<void>
}

/** The engine with databases that call `points`. */
export const withFaultPoints = (engine: Engine, points: FaultPoints): Engine => ({
  name: engine.name,
  async open(sources) {
    const temporary = await engine.open(sources)
    return { ...temporary, db: watch(temporary.db, points) }
  },
})

function watch(db: Database, points: FaultPoints): Database {
  return {
    ...db,
    async write(work) {
      const value = await db.write(async tx => {
        let point = 0
        const next = () => points.reach(++point, tx)
        const done = await work(watchTransaction(tx, next))
        await next()
        return done
      })
      await points.reach('committed', null)
      return value
    },
  }
}

const QUERIES = new Set<PropertyKey>(['select', 'selectDistinct', 'insert', 'update', 'delete', 'with'])

const watchTransaction = (tx: Transaction, before: () => void | Promise<void>): Transaction =>
  new Proxy(tx, {
    get(target, name) {
      if (name === 'statements') return watchStatements(target.statements, before)
      const member = Reflect.get(target, name)
      if (!QUERIES.has(name)) return member
      return (...given: unknown[]) => watchBuilder(member.apply(target, given), before)
    },
  })

/** Drizzle runs a builder when it is awaited: a statement begins at `then`. */
function watchBuilder<T extends object>(builder: T, before: () => void | Promise<void>): T {
  return new Proxy(builder, {
    get(target, name) {
      const member = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      if (name === 'then') {
        return (resolve: () => unknown, reject: () => unknown) =>
          (async () => {
            await before()
            return target
          })().then(resolve, reject)
      }
      return (...given: unknown[]) => {
        const next: unknown = member.apply(target, given)
        if (name === 'prepare') return watchPrepared(next as Prepared, before)
        return isBuilder(next) ? watchBuilder(next, before) : next
      }
    },
  })
}

type Statements = Transaction['statements']

/** The original objects of watched prepared statements. */
const unwatched = new WeakMap<object, object>()

/** Statements are stored without fault points, and get those of the transaction that uses them. */
const watchStatements = (statements: Statements, before: () => void | Promise<void>): Statements => ({
  get(name) {
    // Guarantee of the cast: `prepared` sets prepared statements.
    const statement = statements.get(name) as Prepared | undefined
    return statement && watchPrepared(statement, before)
  },
  set(name, statement) {
    // Guarantee of the cast: `watchBuilder` gave it to `prepared`.
    return statements.set(name, unwatched.get(statement as object))
  },
})

interface Prepared {
  execute(values?: Record<string, unknown>): Promise<unknown>
}

/** See `db/prepared.ts`: a prepared statement begins at `execute`. */
function watchPrepared(statement: Prepared, before: () => void | Promise<void>): Prepared {
  const watched = new Proxy(statement, {
    get(target, name) {
      if (name !== 'execute') return Reflect.get(target, name, target)
      return async (values?: Record<string, unknown>) => {
        await before()
        return target.execute(values)
      }
    },
  })
  unwatched.set(watched, statement)
  return watched
}

/** Whether a value is an insert, an update or a query, complete or not. */
const isBuilder = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  ['then', 'values', 'set', 'from'].some(name => typeof Reflect.get(value, name) === 'function')
