/** TLS to PostgreSQL: which certificates the client trusts, and that it never falls back to plain text. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chownSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { sql } from 'drizzle-orm'
import { openDatabase, type PostgresSettings, translateDatabaseError } from '../../db/index.ts'
import { runStatement } from '../../db/schema/shape.ts'
import { parseConfig } from '../../src/platform/config/config.ts'
import { type PostgresCluster, postgresBinaries, startCluster } from '../crash/postgres-cluster.ts'
import { createClock } from '../support/clock.ts'
import { secrets, startApi } from '../support/processes.ts'

const openssl = Bun.which('openssl')
const missing = !postgresBinaries
  ? ' (skipped: no PostgreSQL server is installed)'
  : openssl
    ? ''
    : ' (skipped: openssl is not installed)'

/** The connection of a read as the server sees it, or the error. */
async function connect(url: string, settings: Partial<PostgresSettings> = {}): Promise<unknown> {
  const db = openDatabase(url, createClock(), { postgres: settings })
  try {
    const [row] = await runStatement(
      db.read,
      sql`SELECT ssl AS encrypted FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
    )
    return row
  } catch (error) {
    const translated = translateDatabaseError(error)
    return translated instanceof Error ? translated.message : translated
  } finally {
    await db.close()
  }
}

const NO_TLS = 'database untrusted: the server offers no TLS'
const WRONG_CA =
  'database untrusted: the certificate of the server does not verify; DATABASE_CA names the CAs to trust'
const WRONG_HOST = 'database untrusted: the certificate of the server is for another host name'

describe.skipIf(missing !== '')(`A PostgreSQL server with TLS${missing}`, () => {
  let cluster: PostgresCluster
  /** The certificate of the server is for this host name only. */
  let byName: string
  let byAddress: string

  const file = (name: string) => join(cluster.folder, name)
  async function run(...options: string[]) {
    const child = Bun.spawn([openssl ?? '', ...options], { cwd: cluster.folder, stderr: 'pipe' })
    if ((await child.exited) !== 0) throw new Error(await child.stderr.text())
  }
  const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const issueCa = (name: string) =>
    run('req', '-x509', ...KEY, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.crt`)
  const settingsOf = (name: string) =>
    parseConfig({ ...secrets, DATABASE_URL: byName, DATABASE_CA_FILE: file(`${name}.crt`) }).postgres

  beforeAll(async () => {
    cluster = await startCluster(postgresBinaries ?? '')
    byAddress = cluster.url
    byName = cluster.url.replace('127.0.0.1', 'localhost')
    await Promise.all(['trusted', 'other'].map(issueCa))
    const signed = ['-CA', 'trusted.crt', '-CAkey', 'trusted.key', '-addext', 'subjectAltName=DNS:localhost']
    await run(
      'req',
      '-x509',
      ...KEY,
      '-subj',
      '/CN=db',
      ...signed,
      '-keyout',
      'server.key',
      '-out',
      'server.crt',
    )
    const { uid, gid } = statSync(cluster.folder)
    for (const name of ['server.key', 'server.crt']) chownSync(file(name), uid, gid)
    const client = new SQL(cluster.url, { max: 1 })
    await client.unsafe(`ALTER SYSTEM SET ssl_cert_file = '${file('server.crt')}'`)
    await client.unsafe(`ALTER SYSTEM SET ssl_key_file = '${file('server.key')}'`)
    await client.unsafe('ALTER SYSTEM SET ssl = on')
    await client.close()
    await cluster.stop('fast')
    await cluster.start()
  })
  afterAll(() => cluster.remove())

  test('is reached encrypted with DATABASE_CA_FILE, whatever the URL says', async () => {
    for (const query of ['', '?sslmode=verify-full', '?sslmode=require', '?sslmode=disable'])
      expect([query, await connect(byName + query, settingsOf('trusted'))]).toEqual([
        query,
        { encrypted: true },
      ])
  })

  test('is reached encrypted, but not verified, with sslmode=require, and in plain text without', async () => {
    expect(await connect(`${byAddress}?sslmode=require`)).toEqual({ encrypted: true })
    expect(await connect(byAddress)).toEqual({ encrypted: false })
  })

  test('is refused when another CA is trusted, or no CA of its own', async () => {
    expect(await connect(byName, settingsOf('other'))).toBe(WRONG_CA)
    expect(await connect(`${byName}?sslmode=verify-ca`, settingsOf('other'))).toBe(WRONG_CA)
    expect(await connect(`${byName}?sslmode=verify-full`)).toBe(WRONG_CA)
  })

  test('that is not trusted fails writes and the check of /readyz with the reason', async () => {
    const db = openDatabase(byName, createClock(), { postgres: settingsOf('other') })
    await expect(db.write(async () => 'written')).rejects.toThrow(WRONG_CA)
    await expect(db.ping()).rejects.toThrow(WRONG_CA)
    await db.close()
  })

  test('is refused under another host name, unless sslmode=verify-ca leaves the name out', async () => {
    expect(await connect(byAddress, settingsOf('trusted'))).toBe(WRONG_HOST)
    expect(await connect(`${byAddress}?sslmode=verify-ca`, settingsOf('trusted'))).toEqual({
      encrypted: true,
    })
  })

  test('is verified by the CAs of NODE_EXTRA_CA_CERTS as well', async () => {
    const env = { DATABASE_URL: `${byName}?sslmode=verify-full`, IDP_ISSUER: 'http://127.0.0.1:9' }
    await expect(startApi(env)).rejects.toThrow(WRONG_CA)
    const api = await startApi({ ...env, NODE_EXTRA_CA_CERTS: file('trusted.crt') })
    expect(await api.stop()).toBe(0)
  })

  test('is verified although NODE_TLS_REJECT_UNAUTHORIZED is 0', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      expect(await connect(byName, settingsOf('other'))).toBe(WRONG_CA)
      expect(await connect(`${byName}?sslmode=verify-full`)).toBe(WRONG_CA)
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    }
  })

  test('that is not trusted stops the start of the API, and the message says why', async () => {
    const start = startApi({ DATABASE_URL: byName, DATABASE_CA_FILE: file('other.crt') })
    const { port } = new URL(byName)
    await expect(start).rejects.toThrow(
      `The database of DATABASE_URL (localhost:${port}) cannot be used: ${WRONG_CA}.`,
    )
  })
})

describe('A server without TLS', () => {
  /** Requests for TLS and other messages, as the server receives them. */
  const received: string[] = []
  const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
  let server: Bun.TCPSocketListener
  let url: string
  beforeAll(() => {
    server = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data(socket, bytes) {
          const asksForTls = bytes.equals(SSL_REQUEST)
          received.push(asksForTls ? 'request for TLS' : bytes.toString('latin1'))
          if (asksForTls) socket.write('N')
        },
      },
    })
    url = `postgres://fan:hunter2@127.0.0.1:${server.port}/matchday`
  })
  afterAll(() => server.stop(true))

  test.each(['require', 'verify-ca', 'verify-full'])(
    'gets nothing in plain text from sslmode=%s',
    async mode => {
      received.length = 0
      expect(await connect(`${url}?sslmode=${mode}`)).toBe(NO_TLS)
      expect(new Set(received)).toEqual(new Set(['request for TLS']))
    },
  )

  test('that does not respond is unreachable after connectTimeoutMs', async () => {
    // The deadline of a statement would pass after ten minutes.
    const settings = { connectTimeoutMs: 100, statementTimeoutMs: 600_000 }
    expect(await connect(url, settings)).toBe('database unreachable: the server does not answer')
  })
})
