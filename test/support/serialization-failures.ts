/**
 * Preloaded by `bun run test:serializable`, also into the processes that tests start: one statement in
 * TEST_SERIALIZATION_FAILURES of the application's pools fails with a serialization failure of the server itself, as on a
 * database that aborts at will. Half of them fail before they run and half after. A COMMIT fails before it commits.
 */
import type { ReservedSQL, SQL } from 'bun'

const every = Number(process.env.TEST_SERIALIZATION_FAILURES)
const RAISE = `DO $$ BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = '40001'; END $$`
/**
 * Later statements of a transaction do not fail: one of a thousand statements would otherwise never be whole. Such a one
 * still runs an average of four times.
 */
const MAX_STATEMENTS = 30

/** Failures so far in this process. */
export const injected = { before: 0, after: 0, commit: 0 }

type Query = SQL.Query<unknown>
type Unsafe = (text: string, parameters?: unknown[]) => Query
type Connection = Pick<SQL, 'unsafe'>

/** The same draws in each process (mulberry32). */
function createDraws(): () => number {
  let state = Number(process.env.TEST_SERIALIZATION_SEED ?? 1)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

// Draws of their own for the few COMMITs: which of them fail does not depend on how statements interleave.
const [draw, drawCommit] = [createDraws(), createDraws()]
const fails = (text: string) => (text === 'COMMIT' ? drawCommit : draw)() < 1 / every

const raise = (connection: Connection): Promise<unknown> => connection.unsafe(RAISE).simple()

async function run(connection: Connection, query: Query, text: string): Promise<unknown> {
  if (!fails(text)) return query
  if (text === 'COMMIT') {
    injected.commit++
    // As the server: a failed COMMIT ends the transaction.
    return raise(connection).finally(() => connection.unsafe('ROLLBACK').simple())
  }
  if (text.startsWith('BEGIN') || draw() < 0.5) injected.before++
  else {
    injected.after++
    await query
  }
  return raise(connection)
}

/** As `run`, for a query that is sent at once, in the order of the calls. */
function execute(connection: Connection, query: Query, text: string): PromiseLike<unknown> {
  if (!fails(text)) return query.execute()
  const raiseNow = () => connection.unsafe(RAISE).simple().execute()
  if (text === 'COMMIT') {
    injected.commit++
    const responses = [raiseNow(), connection.unsafe('ROLLBACK').simple().execute()]
    return Promise.all(responses)
  }
  if (draw() < 0.5) {
    injected.before++
    return raiseNow()
  }
  injected.after++
  return Promise.all([query.execute(), raiseNow()])
}

/** Bun's query, which runs when it is awaited. */
const failing = (connection: Connection, query: Query, text: string): Query =>
  new Proxy(query, {
    get(target, name) {
      if (name === 'then')
        return (resolve: () => unknown, reject: () => unknown) =>
          run(connection, target, text).then(resolve, reject)
      if (name === 'execute') return () => execute(connection, target, text)
      const member = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        const value = member.apply(target, given)
        return name === 'values' || name === 'simple' ? failing(connection, value, text) : value
      }
    },
  })

/** The object with another member. */
const replacing = <T extends object>(object: T, replaced: string, replacement: unknown): T =>
  new Proxy(object, {
    get(target, name) {
      if (name === replaced) return replacement
      const member = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })

function failingConnection(connection: ReservedSQL): ReservedSQL {
  let statements = 0
  const unsafe: Unsafe = (text, parameters) => {
    const query = connection.unsafe(text, parameters)
    if (text.startsWith('BEGIN')) statements = 0
    return text === 'ROLLBACK' || ++statements > MAX_STATEMENTS ? query : failing(connection, query, text)
  }
  return new Proxy(replacing(connection, 'unsafe', unsafe), {
    apply(target, self, given: [TemplateStringsArray]) {
      // Guarantee of the cast: called as a template, a connection returns a query.
      const query = Reflect.apply(target, self, given) as unknown as Query
      return failing(connection, query, given[0].join(''))
    },
  })
}

function failingPool(pool: SQL): SQL {
  const unsafe: Unsafe = (text, parameters) => failing(pool, pool.unsafe(text, parameters), text)
  const reserve = async (...given: Parameters<SQL['reserve']>) =>
    failingConnection(await pool.reserve(...given))
  return replacing(replacing(pool, 'unsafe', unsafe), 'reserve', reserve)
}

if (every > 0) {
  const bun = Bun as { SQL: typeof SQL }
  bun.SQL = new Proxy(bun.SQL, {
    construct(target, given) {
      const pool: SQL = Reflect.construct(target, given)
      // Not those of tests and migrations.
      return new Error().stack?.includes('createPostgresClient') ? failingPool(pool) : pool
    },
  })
}
