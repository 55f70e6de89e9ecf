/** Demonstration data is not written to a database or configuration of production, unless the operator confirms it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDevelopmentKey } from '../../src/identity/server-keys/development-key.ts'
import { createClock } from '../support/clock.ts'
import { spawnDev } from '../support/dev.ts'
import { engines, type TemporaryDatabase } from '../support/engines.ts'
import { freePort } from '../support/processes.ts'
import { runScript } from './run-script.ts'

const REFUSED = 'writes demonstration data, and'

describe.each(engines)('Production data ($name)', engine => {
  let opened: TemporaryDatabase
  let folder: string
  beforeEach(async () => {
    opened = await engine.open(createClock())
    folder = mkdtempSync(join(tmpdir(), 'matchday-guard-'))
  })
  afterEach(async () => {
    await opened.remove()
    rmSync(folder, { recursive: true })
  })

  const env = (more: Record<string, string> = {}) => ({ DATABASE_URL: opened.url ?? '', ...more })
  const seed = (parameters: string[] = [], more: Record<string, string> = {}) =>
    runScript('seed', ['--fans', '3', ...parameters], { env: env(more) })
  const teams = async () => (await opened.db.read.select().from(opened.db.tables.teams)).length
  async function signUp(subject: string) {
    const at = new Date(0)
    const { db } = opened
    await db.write(tx =>
      tx
        .insert(tx.tables.users)
        .values({ id: subject, provider: 'club', subject, createdAt: at, updatedAt: at }),
    )
  }

  test.each<[string, Record<string, string>]>([
    ['NODE_ENV is production', { NODE_ENV: 'production' }],
    ['IDP_ISSUER is not the mock provider', { IDP_ISSUER: 'https://login.example.com' }],
  ])('seed refuses a configuration where %s', async (reason, more) => {
    const refused = await seed([], more)
    expect(refused.code).toBe(1)
    expect(refused.err).toContain(`${REFUSED} ${reason}`)
    expect(refused.err).toContain('`bun run seed --yes`')
    expect(await teams()).toBe(0)
  })

  test('seed writes with --yes, and shows with --dry-run, what it refuses', async () => {
    await signUp('auth0|1')
    const production = { IDP_ISSUER: 'https://login.example.com' }
    expect((await seed(['--dry-run'], production)).code).toBe(0)
    expect(await teams()).toBe(0)
    expect((await seed(['--yes'], production)).code).toBe(0)
    expect(await teams()).toBe(8)
  })

  test('seed refuses a database with fans of a real provider, and takes one of development', async () => {
    await signUp('fan-0001')
    expect((await seed()).code).toBe(0)
    await signUp('auth0|1')
    const refused = await seed()
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining(`${REFUSED} the database has fans`),
    ])
    await opened.db.write(ensureDevelopmentKey)
    expect((await seed()).code).toBe(0)
  })

  test('dev refuses the same, before it migrates or starts anything', async () => {
    await signUp('auth0|1')
    const child = spawnDev({
      PATH: process.env.PATH ?? '',
      HOME: folder,
      MOCK_IDP_KEYS: join(folder, 'keys.json'),
      PORT: String(freePort()),
      MOCK_IDP_PORT: String(freePort()),
      ...env(),
    })
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    expect([await child.exited, out]).toEqual([1, ''])
    expect(err).toContain(`${REFUSED} the database has fans`)
    expect(err).toContain('dev --yes')
    expect(await opened.db.read.select().from(opened.db.tables.serverKeys)).toEqual([])
  })
})
