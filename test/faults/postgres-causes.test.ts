/** The operator's log says why a PostgreSQL server cannot be reached, without secrets. Responses do not say it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openDatabase } from '../../db/index.ts'
import { migrate, requireMigrated } from '../../db/migrate.ts'
import { createSpine } from '../../src/app/spine.ts'
import { realSources } from '../../src/core/sources.ts'
import { type PostgresCluster, postgresBinaries, startCluster } from '../crash/postgres-cluster.ts'
import { commandOf } from '../support/executable.ts'
import { freePort, secrets } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorld } from '../support/world.ts'

const missing = postgresBinaries ? '' : ' (skipped: no PostgreSQL server is installed)'

describe.skipIf(missing !== '')(`A PostgreSQL server that refuses Matchday${missing}`, () => {
  let cluster: PostgresCluster
  const administrate = async (...statements: string[]) => {
    const client = new SQL(cluster.url, { max: 1 })
    for (const statement of statements) await client.unsafe(statement)
    await client.close()
  }
  const urlOf = (change: Partial<URL> = {}) => {
    const url = new URL(cluster.url)
    url.username = 'matchday'
    url.password = 'the-password'
    return Object.assign(url, change).href
  }

  beforeAll(async () => {
    cluster = await startCluster(postgresBinaries ?? '')
    await administrate("CREATE ROLE matchday LOGIN SUPERUSER PASSWORD 'the-password'", 'CREATE ROLE asleep')
    const rules = ['trust postgres', 'scram-sha-256 matchday', 'trust asleep', 'trust nobody'].map(rule => {
      const [method, role] = rule.split(' ')
      return `host all ${role} 127.0.0.1/32 ${method}`
    })
    writeFileSync(join(cluster.data, 'pg_hba.conf'), `${rules.join('\n')}\n`)
    await administrate('SELECT pg_reload_conf()')
    await waitUntil('the password is asked for', () =>
      requireMigrated(urlOf({ password: 'wrong' })).then(
        () => false,
        ({ message }) => message.includes('password'),
      ),
    )
  })
  afterAll(() => cluster.remove())

  const NOT_ADMITTED =
    'database unreachable: the role does not exist, must not sign in, or is not admitted by pg_hba.conf'
  test.each<[string, Partial<URL>, string]>([
    ['a wrong password', { password: 'guessed' }, 'database unreachable: the server refuses the password'],
    ['an unknown role', { username: 'nobody' }, NOT_ADMITTED],
    ['a role that must not sign in', { username: 'asleep' }, NOT_ADMITTED],
    ['a role without a line in pg_hba.conf', { username: 'elsewhere' }, NOT_ADMITTED],
    [
      'an unknown database',
      { pathname: '/gone' },
      'database unreachable: the server has no database of this name',
    ],
    [
      'a port where nothing listens',
      { port: String(freePort()) },
      'database unreachable: nothing accepts connections at this address',
    ],
    [
      'a host name without address',
      { hostname: 'database.invalid' },
      'database unreachable: the host name database.invalid does not resolve',
    ],
    ['a server without TLS', { search: '?sslmode=require' }, 'database untrusted: the server offers no TLS'],
  ])('%s is named', async (_, change, said) => {
    const url = urlOf(change)
    await expect(requireMigrated(url)).rejects.toThrow(new Error(said))
    const db = openDatabase(url, realSources)
    await expect(db.ping()).rejects.toThrow(new Error(said))
    await db.close()
  })

  test('the start reports it on standard error, without the password', async () => {
    const child = Bun.spawn(commandOf('src/main.ts'), {
      env: {
        ...secrets,
        PATH: process.env.PATH ?? '',
        DATABASE_URL: urlOf({ password: 'guessed' }),
      },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const said = await new Response(child.stderr).text()
    expect(await child.exited).toBe(1)
    expect(said).toContain('cannot be used: database unreachable: the server refuses the password.')
    expect(said).not.toContain('guessed')
  })

  test('/readyz logs it once at run time, and answers without it', async () => {
    const url = urlOf()
    await migrate(url)
    const world = await createWorld({
      name: 'PostgreSQL',
      async open(sources) {
        const db = openDatabase(url, sources, { spine: createSpine() })
        return { db, url, remove: () => db.close() }
      },
    })
    const ready = async () => (await world.anonymous.get('/readyz')).body.checks.database
    try {
      expect(await ready()).toBe('ok')
      await administrate("ALTER ROLE matchday PASSWORD 'another'")
      await waitUntil('the database is not ready', async () => {
        // Again each time: a connection that was being admitted under the former password is listed only afterwards.
        await administrate(
          "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'matchday'",
        )
        return (await ready()) !== 'ok'
      })
      const reasons = () =>
        world.logged
          .map(line => JSON.parse(line))
          .filter(({ msg }) => msg === 'the database cannot be used')
          .map(({ reason }) => reason)
      await waitUntil('the reason is logged', async () => {
        expect(await ready()).toBe('database unreachable')
        return reasons().includes('database unreachable: the server refuses the password')
      })
      const found = reasons().length
      expect(await ready()).toBe('database unreachable')
      expect(reasons()).toHaveLength(found)
      expect(world.logged.join()).not.toContain('the-password')
      await administrate("ALTER ROLE matchday PASSWORD 'the-password'")
      await waitUntil('the database is ready', async () => (await ready()) === 'ok')
      expect(world.logged.join()).toContain('the database can be used again')
    } finally {
      await administrate("ALTER ROLE matchday PASSWORD 'the-password'")
      await world.close()
    }
  })
})
