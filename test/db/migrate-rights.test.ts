/** Starting without the database privilege, or without the operator's permission, to change the schema. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../db/migrate.ts'
import { createClock } from '../support/clock.ts'
import { engines, noServer, postgresEngine, type TemporaryDatabase } from '../support/engines.ts'
import { testSchema } from '../support/patience.ts'
import { type RunningProvider, startApi, startProvider } from '../support/processes.ts'
import { withRawConnection } from './probe.ts'
import { migrateToNext, NEXT } from './versions.ts'

let provider: RunningProvider
beforeAll(async () => {
  provider = await startProvider()
})
afterAll(() => provider.stop())

/** The database's status in /readyz once the API has started. */
async function start(url: string, env: Record<string, string> = {}) {
  const api = await startApi({ DATABASE_URL: url, IDP_ISSUER: provider.issuer, ...env })
  const answer = await fetch(`${api.origin}/readyz`)
  await api.stop()
  // Guarantee: the schema of the readiness response.
  return ((await answer.json()) as { checks: { database: string } }).checks.database
}

describe.each(engines)('MIGRATE=off ($name)', engine => {
  let temporary: TemporaryDatabase
  beforeEach(async () => {
    temporary = await engine.open(createClock())
  })
  afterEach(() => temporary.remove())

  test('starts on a current schema', async () => {
    expect(await start(temporary.url ?? '', { MIGRATE: 'off' })).toBe('ok')
  })

  test('refuses to start on an older schema, names the command, and changes nothing', async () => {
    const applied = await withRawConnection(temporary, async run => {
      await run('DELETE FROM "__drizzle_migrations" WHERE id = (SELECT max(id) FROM "__drizzle_migrations")')
      return run('SELECT id FROM "__drizzle_migrations"')
    })
    const refused = await start(temporary.url ?? '', { MIGRATE: 'off' }).catch(String)
    expect(refused).toContain(
      'left with 1: the database lacks 1 migration of this version of Matchday, and MIGRATE is off; run the command `migrate` first',
    )
    expect(await withRawConnection(temporary, run => run('SELECT id FROM "__drizzle_migrations"'))).toEqual(
      applied,
    )
  })
})

describe.each(engines)('An instance of an older version ($name)', engine => {
  let temporary: TemporaryDatabase
  beforeEach(async () => {
    temporary = await engine.open(createClock())
  })
  afterEach(() => temporary.remove())

  const migrateBy = (runsFrom: number) =>
    withRawConnection(temporary, run => migrateToNext(run, temporary.db.engine, runsFrom))

  test('stays ready while a newer version migrates', async () => {
    const api = await startApi({ DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer })
    await migrateBy(0)
    expect((await fetch(`${api.origin}/readyz`)).status).toBe(200)
    await api.stop()
  })

  test.each(['on', 'off'])('starts on a newer schema on which it runs, with MIGRATE=%s', async MIGRATE => {
    await migrateBy(0)
    expect(await start(temporary.url ?? '', { MIGRATE })).toBe('ok')
  })

  test('refuses to start on a newer schema on which it does not run', async () => {
    await migrateBy(NEXT)
    expect(await start(temporary.url ?? '').catch(String)).toContain(
      'left with 1: the database is 1 migration ahead of this version of Matchday',
    )
  })
})

test('MIGRATE=off creates no SQLite file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
  const path = join(folder, 'none.db')
  expect(await start(`sqlite:${path}`, { MIGRATE: 'off' }).catch(String)).toContain(
    'run the command `migrate` first',
  )
  expect(await Bun.file(path).exists()).toBe(false)
  rmSync(folder, { recursive: true })
})

describe.skipIf(noServer !== '')(`A role that may not change the schema (PostgreSQL)${noServer}`, () => {
  let temporary: TemporaryDatabase
  let role: string
  let url: string

  beforeAll(async () => {
    temporary = await postgresEngine.open(createClock())
    const address = new URL(temporary.url ?? '')
    role = `${address.pathname.slice(1)}_limited`
    await withRawConnection(temporary, async run => {
      await run(`CREATE ROLE ${role} LOGIN PASSWORD 'limited'`)
      await run(`REVOKE CREATE ON SCHEMA ${testSchema ?? 'public'} FROM PUBLIC`)
      await run(`GRANT USAGE ON SCHEMA ${testSchema ?? 'public'} TO ${role}`)
      await run(
        `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${testSchema ?? 'public'} TO ${role}`,
      )
      await run(`REVOKE INSERT, UPDATE, DELETE ON "__drizzle_migrations" FROM ${role}`)
    })
    address.username = role
    address.password = 'limited'
    url = address.href
  })
  afterAll(async () => {
    await withRawConnection(temporary, async run => {
      await run(`DROP OWNED BY ${role}`)
      await run(`DROP ROLE ${role}`)
    })
    await temporary.remove()
  })

  test('accepts a current schema without a statement that requires the privilege', async () => {
    expect((await migrate(url, { schema: testSchema })).applied).toBe(0)
  })

  test('cannot truncate the ledger, whatever triggers it has', async () => {
    await withRawConnection(temporary, run =>
      run('DROP TRIGGER points_entries_refuse_truncate ON points_entries'),
    )
    const limited = withRawConnection({ db: temporary.db, url }, run => run('TRUNCATE points_entries'))
    await expect(limited).rejects.toThrow('permission denied for table points_entries')
  })

  test.each(['on', 'off'])('starts with MIGRATE=%s', async MIGRATE => {
    expect(await start(url, { MIGRATE })).toBe('ok')
  })
})
