/**
 * Prepared statements: Drizzle builds the SQL once for each connection. If it builds it for each request, `GET
 * /api/user/profile` takes 2,600,000 instructions, not 225,000.
 */
import { fillPlaceholders, is, type SQL, sql } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { setRowMapper } from './row-mapper.ts'
import type { LastStatement, Query, Reader, Transaction } from './types.ts'

interface Preparable<Rows> {
  prepare(name: string): PreparedStatement<Rows>
}

interface PreparedStatement<Rows> {
  /** On SQLite, where statements are synchronous, `sync` runs it without promises. */
  execute(values: Record<number, unknown>): Promise<Rows> & { sync?(): Rows }
  getQuery(): Query
}

/**
 * The same function, with its statement prepared at the first call on a connection:
 * `prepared((tx: Transaction, { id }: { id: string }) => tx.delete(teams).where(eq(teams.id, id)))`.
 *
 * `build` gets a parameter of the statement for each string, number and date in its values, also within objects and lists.
 * It may only place them in the query: a parameter in a calculation or in text throws. Booleans, null and undefined keep
 * their values, so `build` may branch on them. Each combination of these, of members and of list lengths makes its own
 * statement, so their number must be limited.
 */
export function prepared<Within extends Reader, Values extends unknown[], Rows>(
  build: (within: Within, ...values: Values) => Preparable<Rows>,
): (within: Within, ...values: Values) => Promise<Rows> {
  const bind = binding(build)
  return (within, ...values) => {
    const { statement, scalars } = bind(within, values)
    const result = statement.execute(scalars)
    return result.sync ? Promise.try(result.sync.bind(result)) : result
  }
}

/** As `prepared`, for a statement to run at the end of a unit of work: see `end-of-work.ts`. */
export function preparedLast<Values extends unknown[]>(
  build: (tx: Transaction, ...values: Values) => Preparable<unknown>,
): (tx: Transaction, ...values: Values) => LastStatement {
  const bind = binding(build)
  return (tx, ...values) => {
    const { statement, scalars } = bind(tx, values)
    return {
      query() {
        const { sql, params } = statement.getQuery()
        return { sql, params: fillPlaceholders(params, { ...scalars }) }
      },
      run: () => statement.execute(scalars),
    }
  }
}

function binding<Within extends Reader, Values extends unknown[], Rows>(
  build: (within: Within, ...values: Values) => Preparable<Rows>,
) {
  const id = ++count
  /** Nearly all calls have one shape: comparing it is faster than naming it. */
  let latest: { shape: string[]; name: string } | undefined
  return (within: Within, values: Values) => {
    const [scalars, shape]: [unknown[], string[]] = [[], []]
    collectScalars(values, scalars, shape, encoderOf(within))
    if (!latest || !isSameShape(latest.shape, shape))
      latest = { shape, name: `matchday_${id} ${shape.join(' ')}` }
    const { name } = latest
    // Guarantee of the cast: only this function sets a statement of this name.
    let statement = within.statements.get(name) as PreparedStatement<Rows> | undefined
    if (!statement) {
      statement = build(withoutTime(within), ...toParameters(values)).prepare(name)
      setRowMapper(statement)
      within.statements.set(name, statement)
    }
    return { statement, scalars }
  }
}

/** Otherwise all later calls would write the time, or the id, of the first one. */
function withoutTime<Within extends Reader>(within: Within): Within {
  const refuse = () => {
    throw new TypeError('a prepared statement takes times and ids as values')
  }
  return Object.create(within, { now: { value: refuse }, newId: { value: refuse } })
}

/** As `prepared`, for a statement of at most one row. */
export function preparedRow<Within extends Reader, Values extends unknown[], Row>(
  build: (within: Within, ...values: Values) => Preparable<Row[]>,
): (within: Within, ...values: Values) => Promise<Row | undefined> {
  const read = prepared(build)
  return async (within, ...values) => (await read(within, ...values))[0]
}

let count = 0

/** Appends the encoded scalars in the order of `toParameters`, and the shape of the value. No name has a space. */
function collectScalars(value: unknown, scalars: unknown[], shape: string[], encode: Encoder): void {
  if (value === undefined) shape.push('-')
  else if (value === null) shape.push('n')
  else if (typeof value === 'boolean') shape.push(value ? 't' : 'f')
  else if (Array.isArray(value)) {
    shape.push('[')
    for (const item of value) collectScalars(item, scalars, shape, encode)
    shape.push(']')
  } else if (isObject(value)) {
    shape.push('{')
    for (const name in value) {
      shape.push(name)
      collectScalars(value[name], scalars, shape, encode)
    }
    shape.push('}')
  } else {
    scalars.push(encode(value))
    shape.push('?')
  }
}

function isSameShape(one: string[], other: string[]): boolean {
  if (one.length !== other.length) return false
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false
  return true
}

/**
 * Guarantee of the cast: Drizzle takes SQL wherever it takes a value, and checks the type against the column. Any other use
 * of a parameter as a primitive throws.
 */
function toParameters<Value>(values: Value): Value {
  let position = 0
  const convert = (value: unknown): unknown => {
    if (value === undefined || value === null || typeof value === 'boolean') return value
    if (Array.isArray(value)) return value.map(convert)
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, convert(member)]))
    return parameterAt(position++)
  }
  return convert(values) as Value
}

function parameterAt(position: number): SQL {
  const parameter = sql`${sql.placeholder(String(position))}`
  return Object.assign(parameter, {
    [Symbol.toPrimitive]() {
      throw new TypeError('a parameter of a prepared statement has no value while the statement is built')
    },
  })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !(value instanceof Date)

type Encoder = (value: unknown) => unknown

/** As the columns of `columns.ts` encode. */
const encoderOf = ({ tables }: Reader): Encoder =>
  encoders.getOrInsertComputed(tables, () => (is(tables.users, SQLiteTable) ? toSqlite : toPostgres))

const encoders = new WeakMap<Reader['tables'], Encoder>()

const toSqlite = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value)

const toPostgres = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)
