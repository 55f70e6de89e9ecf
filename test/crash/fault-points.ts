/**
 * Points between two statements of a unit of work at which a test strikes. They are made around the transaction that verbs
 * are handed, so that nothing of them is in what runs in production.
 */
import type { Database, Transaction } from '../../db/index.ts'
import type { Engine } from '../support/engines.ts'

export interface FaultPoints {
  /**
   * Called before each statement of a unit of work, from 1 on; after its last one, before the COMMIT; and, as
   * `committed`, after that, before its caller hears of it. What it throws, the statement throws.
   */
  reach: (point: number | 'committed', tx: Transaction | null) => void | Promise<void>
}

/** The engine, whose databases reach `points`. */
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
      // Nothing built before is used again: each statement of this unit is then built through the points.
      if (name === 'statements') return new Map()
      const member = Reflect.get(target, name)
      if (!QUERIES.has(name)) return member
      return (...given: unknown[]) => watchBuilder(member.apply(target, given), before)
    },
  })

/** Drizzle's builders run when somebody waits for them: `then` is where a statement begins. */
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

interface Prepared {
  execute(values?: Record<string, unknown>): Promise<unknown>
}

/** See `db/prepared.ts`: `execute` is where such a statement begins. */
const watchPrepared = (statement: Prepared, before: () => void | Promise<void>): Prepared => ({
  async execute(values) {
    await before()
    return statement.execute(values)
  },
})

/** Of an insert, an update or a query, begun or complete. */
const isBuilder = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  ['then', 'values', 'set', 'from'].some(name => typeof Reflect.get(value, name) === 'function')
