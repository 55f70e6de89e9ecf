/** `bun run reset`: recreates the database of development, and refuses to delete anything else. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openDatabase } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { realSources } from '../../src/core/sources.ts'
import { runScript } from './run-script.ts'

const server = process.env.TEST_POSTGRES_URL

/** An empty database to which nothing is connected; the command refuses while another process is. */
async function makeDatabase(engine: string) {
  if (engine === 'SQLite') {
    const folder = mkdtempSync(join(tmpdir(), 'matchday-reset-'))
    return {
      url: `sqlite:${join(folder, 'test.db')}`,
      remove: async () => rmSync(folder, { recursive: true }),
    }
  }
  const name = `matchday_reset_${crypto.randomUUID().replaceAll('-', '')}`
  const url = Object.assign(new URL(server ?? ''), { pathname: name }).href
  const onServer = async (statement: string) => {
    const client = new SQL(server ?? '', { max: 1 })
    await client.unsafe(statement).finally(() => client.close())
  }
  await onServer(`CREATE DATABASE ${name}`)
  return { url, remove: () => onServer(`DROP DATABASE ${name} WITH (FORCE)`) }
}

describe.each(server === undefined ? ['SQLite'] : ['SQLite', 'PostgreSQL'])('reset (%s)', engine => {
  let url: string
  let remove: () => Promise<void>
  beforeEach(async () => {
    const made = await makeDatabase(engine)
    url = made.url
    remove = made.remove
    await migrate(url)
  })
  afterEach(() => remove())

  const reset = (parameters: string[] = [], env: Record<string, string> = {}) =>
    runScript('reset', parameters, { env: { DATABASE_URL: url, MOCK_IDP_FANS: '9', ...env } })
  async function use<T>(work: (db: ReturnType<typeof openDatabase>) => Promise<T>): Promise<T> {
    const db = openDatabase(url, realSources)
    return work(db).finally(() => db.close())
  }
  const subjects = () =>
    use(async ({ read, tables }) =>
      (await read.select({ subject: tables.users.subject }).from(tables.users))
        .map(row => row.subject)
        .sort(),
    )
  const signUp = (subject: string) =>
    use(db =>
      db.write(tx => {
        const at = new Date(0)
        const user = { id: subject, provider: 'mock-idp', subject, createdAt: at, updatedAt: at }
        return tx.insert(tx.tables.users).values(user)
      }),
    )

  test('replaces fans of the mock provider by those of the seed, and a second run gives the same', async () => {
    await signUp('fan-9999')
    expect(await reset()).toMatchObject({
      code: 0,
      out: expect.stringContaining('is new: migrated and seeded'),
    })
    const first = await subjects()
    expect(first.length).toBeGreaterThan(3)
    expect(first).not.toContain('fan-9999')
    expect((await reset()).code).toBe(0)
    expect(await subjects()).toEqual(first)
  })

  test('deletes other fans only with --yes, and nothing with --dry-run', async () => {
    await signUp('auth0|1')
    const refused = await reset()
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('not of the mock provider')])
    expect((await reset(['--yes', '--dry-run'])).out).toContain('Nothing was changed')
    expect(await subjects()).toEqual(['auth0|1'])
    expect((await reset(['--yes'])).code).toBe(0)
    expect(await subjects()).not.toContain('auth0|1')
  })

  test.each<Record<string, string>>([
    { NODE_ENV: 'production' },
    { IDP_ISSUER: 'https://login.example.com' },
  ])('never runs with %o, also with --yes', async env => {
    await signUp('fan-9999')
    const refused = await reset(['--yes'], env)
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('Nothing was deleted')])
    expect(await subjects()).toEqual(['fan-9999'])
  })

  test('refuses while another process uses the database', async () => {
    await signUp('fan-9999')
    const db = openDatabase(url, realSources)
    try {
      await db.read.select({ id: db.tables.users.id }).from(db.tables.users)
      const refused = await reset()
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is in use')])
    } finally {
      await db.close()
    }
    expect(await subjects()).toEqual(['fan-9999'])
  })
})

test('reset asks for --yes before it connects to PostgreSQL on another machine', async () => {
  const env = { DATABASE_URL: 'postgres://club:hidden@db.example.com/fans' }
  const refused = await runScript('reset', [], { env })
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining('on another machine, db.example.com'),
  ])
  expect(refused.err).not.toContain('hidden')
})

test('reset makes a database where there is none, and replaces an unreadable file only with --yes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-reset-'))
  const path = join(folder, 'fresh.db')
  const env = { DATABASE_URL: `sqlite:${path}`, MOCK_IDP_FANS: '3' }
  try {
    expect((await runScript('reset', [], { env })).code).toBe(0)
    expect(existsSync(path)).toBe(true)
    writeFileSync(path, 'no database, but long enough to be taken for one'.repeat(50))
    const refused = await runScript('reset', [], { env })
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('cannot be read')])
    expect((await runScript('reset', ['--yes'], { env })).code).toBe(0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
