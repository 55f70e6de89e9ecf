/** Uses of Drizzle and bun:sqlite beyond their public interfaces. After an upgrade, these tests fail first. */
import { Database as Connection, type Statement } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { clientOf, driverOf, onClient, onSqlite, rowPartsOf, sqlOf } from '../../db/drizzle-internals.ts'
import { setRowMapper } from '../../db/row-mapper.ts'
import { cacheStatements, onEither } from '../../db/sqlite/statements.ts'
import product from '../../package.json'
import { createClock } from '../support/clock.ts'
import { engines, type TemporaryDatabase } from '../support/engines.ts'

test('drizzle-orm is pinned, and this version is installed', async () => {
  const installed = await Bun.file(new URL('package.json', import.meta.resolve('drizzle-orm'))).json()
  expect(product.dependencies['drizzle-orm']).toBe(installed.version)
})

for (const engine of engines) {
  describe(`Drizzle’s prepared statements (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    beforeAll(async () => {
      temporary = await engine.open(createClock())
    })
    afterAll(() => temporary.remove())

    test('have the parts by which rows are mapped, and use the mapper that is set', async () => {
      const { users } = temporary.db.tables
      const { id, handle } = users
      const statement = temporary.db.read.select({ id, fan: { id, handle } }).from(users).prepare('parts')
      expect(rowPartsOf(statement).fields?.map(({ path }) => path)).toEqual([
        ['id'],
        ['fan', 'id'],
        ['fan', 'handle'],
      ])
      expect(rowPartsOf(statement).customResultMapper).toBeUndefined()
      setRowMapper(statement)
      const mapper = rowPartsOf(statement).customResultMapper
      expect(mapper?.([['1', '1', 'ada']])).toEqual([{ id: '1', fan: { id: '1', handle: 'ada' } }])
      rowPartsOf(statement).customResultMapper = () => ['mapped']
      // Guarantee of the cast: the mapper above.
      expect((await statement.execute()) as unknown).toEqual(['mapped'])
    })

    test('know which left joins may have no row', () => {
      const { users, identities } = temporary.db.tables
      const joined = temporary.db.read
        .select()
        .from(users)
        .leftJoin(identities, eq(identities.userId, users.id))
      expect(rowPartsOf(joined.prepare('joined')).joinsNotNullableMap).toEqual({
        users: true,
        identities: false,
      })
    })

    if (engine.name === 'SQLite') return
    test('run on the connection of another transaction', async () => {
      const { read, tables, write } = temporary.db
      const prepared = read.select({ one: sql`1` }).from(tables.users).prepare('one')
      await write(async tx => {
        const client = clientOf<object>(tx)
        const statement = onClient(prepared, client)
        expect(Reflect.get(statement, 'client')).toBe(client)
      })
    })
  })
}

describe('An upgrade that changes them', () => {
  const adapt = 'adapt db/drizzle-internals.ts to this version'
  test.each([
    [
      'other parts of a statement',
      () => rowPartsOf({ columns: [] }),
      `no fields, joinsNotNullableMap, custom`,
    ],
    ['a transaction without a session', () => clientOf({}), 'a session has no client'],
    ['a statement without a connection', () => onClient({}, {}), 'a prepared statement has no client'],
    [
      'a statement that is not compiled',
      () => onSqlite({}, { prepare: () => null }),
      'a prepared statement has no stmt, query',
    ],
    ['queries without a session', () => driverOf({}), 'a session has no client'],
    ['SQL without a decoder', () => sqlOf({ sql: {} }), 'SQL has no decoder'],
  ])('to %s is an error that names the place', (_, use, message) => {
    expect(use).toThrow(message)
    expect(use).toThrow(adapt)
  })

  test('to another statement of bun:sqlite is an error that names the place', () => {
    const connection = new Connection(':memory:')
    const lacking = { all() {}, run() {} } as unknown as Statement
    expect(() => onEither(connection, () => false)(lacking, '')).toThrow(
      'bun:sqlite has no values; adapt db/sqlite/statements.ts to this version',
    )
    connection.close()
  })
})

test('Drizzle calls only prepare() of bun:sqlite’s connection, and all(), run() and values() of its statements', async () => {
  const connection = new Connection(':memory:')
  connection.run('CREATE TABLE teams (id TEXT PRIMARY KEY, points INTEGER NOT NULL)')
  const calls = new Set<string>()
  const recorded = <Target extends object>(target: Target, name: string): Target =>
    new Proxy(target, {
      get(of, member) {
        const value = Reflect.get(of, member)
        if (typeof value !== 'function' || member === 'constructor') return value
        calls.add(`${name}.${String(member)}`)
        return value.bind(of)
      },
    })
  const statements: string[] = []
  const cached = cacheStatements(connection, (statement, text) => {
    statements.push(text)
    return recorded(statement, 'statement')
  })
  const teams = sqliteTable('teams', { id: text().primaryKey(), points: integer().notNull() })
  const db = drizzle(recorded(connection, 'connection'))
  const select = db
    .select()
    .from(teams)
    .where(eq(teams.id, sql.placeholder('id')))
    .prepare()
  for (let n = 0; n < 3; n++) {
    await db.insert(teams).values({ id: `${n}`, points: n })
    await db
      .insert(teams)
      .values({ id: `${n}`, points: 7 })
      .onConflictDoNothing()
      .returning()
    await db.update(teams).set({ points: 1 }).where(eq(teams.id, '0')).returning()
    await db.delete(teams).where(eq(teams.id, '9'))
    expect(await db.all(sql`select 1 as one`)).toEqual([{ one: 1 }])
    expect(await select.execute({ id: `${n}` })).toHaveLength(1)
  }
  expect([...calls].toSorted()).toEqual([
    'connection.prepare',
    'statement.all',
    'statement.run',
    'statement.values',
  ])
  expect(statements).toHaveLength(6)
  cached.finalize()
  connection.close()
})
