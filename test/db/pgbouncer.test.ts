/** PgBouncer in front of PostgreSQL, as Debian packages it: it refuses unknown start-up parameters, and does not support named statements. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { keepsPreparedStatements, openDatabase, postgresDefaults } from '../../db/index.ts'
import { listPendingMigrations, migrate } from '../../db/migrate.ts'
import { runStatement } from '../../db/schema/shape.ts'
import { createSpine } from '../../src/app/spine.ts'
import { type Engine, noServer, postgresEngine, type TemporaryDatabase } from '../support/engines.ts'
import { testSchema } from '../support/patience.ts'
import { type PgBouncer, pgbouncerBinary, startPgBouncer } from '../support/pgbouncer.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../support/processes.ts'
import { createWorld, type World } from '../support/world.ts'
import { withRawConnection } from './probe.ts'

const missing = pgbouncerBinary ? noServer : ' (skipped: PgBouncer is not installed)'

const own = testSchema ?? 'public'

const cases = [
  { mode: 'session', preparedStatements: true },
  { mode: 'session', preparedStatements: false },
  { mode: 'transaction', preparedStatements: false },
] as const

describe.skipIf(missing !== '').each(cases)(
  `PgBouncer in $mode mode, prepared statements $preparedStatements${missing}`,
  ({ mode, preparedStatements }) => {
    const settings = { preparedStatements, schema: testSchema }
    let direct: TemporaryDatabase
    let pooler: PgBouncer
    let world: World

    const throughPooler: Engine = {
      name: 'PostgreSQL',
      async open(sources) {
        direct = await postgresEngine.open(sources)
        const address = new URL(direct.url ?? '')
        pooler = await startPgBouncer(pgbouncerBinary ?? '', address, mode)
        const url = pooler.urlOf(address.pathname.slice(1))
        const db = openDatabase(url, sources, { spine: createSpine(), postgres: settings })
        return { db, url, remove: () => db.close() }
      },
    }

    beforeAll(async () => {
      world = await createWorld(throughPooler)
    })
    afterAll(async () => {
      await world.close()
      await pooler.stop()
      await direct.remove()
    })

    test('serves concurrent requests of fans', async () => {
      const fans = await Promise.all(Array.from({ length: 12 }, () => world.fan()))
      const done = await Promise.all(
        fans.map(async (fan, n) => [
          (await fan.post('/api/user/profile', { displayName: `Fan ${n}`, handle: `fan_${n}` })).status,
          (await fan.post('/api/user/onboarding', { joinLeaderboard: true })).status,
          (await fan.get('/api/user/points')).body.balance,
          (await fan.get('/api/leaderboard')).status,
          (await fan.post('/api/auth/native-token', { deviceName: 'phone' })).status,
        ]),
      )
      expect(done).toEqual(Array(12).fill([201, 200, 100, 200, 200]))
      expect((await world.anonymous.get('/readyz')).body.checks.database).toBe('ok')
    })

    test('limits the statements of a transaction, and leaves no setting on a shared connection', async () => {
      const limit = sql`SELECT current_setting('statement_timeout') AS limit`
      expect(await world.db.write(tx => runStatement(tx, limit))).toEqual([{ limit: '5s' }])
      expect(await runStatement(world.db.read, limit)).toEqual([{ limit: '0' }])
    })

    test('lists and applies migrations', async () => {
      const url = world.databaseUrl ?? ''
      expect((await listPendingMigrations(url, settings)).pending).toEqual([])
      await withRawConnection(direct, run =>
        run(`DROP SCHEMA ${own} CASCADE`).then(() => run(`CREATE SCHEMA ${own}`)),
      )
      const { applied, total } = await migrate(url, settings)
      expect(applied).toBe(total)
    })
  },
)

describe.skipIf(missing !== '')(`The API behind PgBouncer in transaction mode${missing}`, () => {
  let direct: TemporaryDatabase
  let pooler: PgBouncer
  let provider: RunningProvider
  let api: RunningApi

  beforeAll(async () => {
    direct = await postgresEngine.open({
      now: () => new Date(),
      newId: () => Bun.randomUUIDv7(),
      randomBytes: size => crypto.getRandomValues(new Uint8Array(size)),
    })
    const address = new URL(direct.url ?? '')
    pooler = await startPgBouncer(pgbouncerBinary ?? '', address, 'transaction')
    provider = await startProvider()
    api = await startApi({
      DATABASE_URL: pooler.urlOf(address.pathname.slice(1)),
      DATABASE_PREPARED_STATEMENTS: 'off',
      IDP_ISSUER: provider.issuer,
    })
  })
  afterAll(async () => {
    await api.stop()
    await provider.stop()
    await pooler.stop()
    await direct.remove()
  })

  test('starts without other changes than settings, and is ready', async () => {
    const answer = await fetch(`${api.origin}/readyz`)
    expect([answer.status, await answer.json()]).toMatchObject([200, { checks: { database: 'ok' } }])
  })

  test('refuses to start with prepared statements, and names the setting', async () => {
    const address = new URL(direct.url ?? '')
    const start = startApi({
      DATABASE_URL: pooler.urlOf(address.pathname.slice(1)),
      IDP_ISSUER: provider.issuer,
    })
    await expect(start).rejects.toThrow('DATABASE_PREPARED_STATEMENTS must be off')
  })
})

describe.skipIf(missing !== '')(`Prepared statements behind PgBouncer${missing}`, () => {
  const address = new URL(process.env.TEST_POSTGRES_URL ?? 'postgres://127.0.0.1/test')

  test('are stored by a direct server, and not needed if they are off', async () => {
    expect(await keepsPreparedStatements(address.href, postgresDefaults)).toBe(true)
    const off = { ...postgresDefaults, preparedStatements: false }
    expect(await keepsPreparedStatements('postgres://127.0.0.1:9/none', off)).toBe(true)
    expect(await keepsPreparedStatements('sqlite:none.db', postgresDefaults)).toBe(true)
  })

  test.each([
    ['session', '', true],
    ['transaction', '', false],
    ['transaction', 'server_round_robin = 1', false],
    ['transaction', 'default_pool_size = 1', true],
  ] as const)('through PgBouncer in %s mode, "%s": kept is %p', async (mode, setting, kept) => {
    const pooler = await startPgBouncer(pgbouncerBinary ?? '', address, mode, setting)
    try {
      const url = pooler.urlOf(address.pathname.slice(1))
      expect(await keepsPreparedStatements(url, postgresDefaults)).toBe(kept)
    } finally {
      await pooler.stop()
    }
  })
})
