/** Faults of the file, as clients and load balancers see them, and the recovery. */
import type { Database as Connection } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../db/migrate.ts'
import { openSqlite } from '../../db/sqlite/database.ts'
import { systemDisk } from '../../db/sqlite/wal.ts'
import { createSpine } from '../../src/app/spine.ts'
import { withRawConnection } from '../db/probe.ts'
import { refusal } from '../play/packs/packs-world.ts'
import type { Engine } from '../support/engines.ts'
import { startApi, startProvider } from '../support/processes.ts'
import { createWorld, type Fan, type World } from '../support/world.ts'

/** A file that stays when its world is closed. */
const engineOn = (path: string): Engine => ({
  name: 'SQLite',
  async open(sources) {
    await migrate(`sqlite:${path}`)
    const db = openSqlite(path, sources, { spine: createSpine(), lockTimeoutMs: 20 })
    return { db, url: `sqlite:${path}`, remove: () => db.close() }
  },
})

let folder: string
let path: string
let world: World
let fan: Fan

async function begin() {
  world = await createWorld(engineOn(path))
  fan = await world.fan()
  // The first verified token stores the keys of the provider, so that no later test does.
  await fan.get('/api/user/points')
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
  path = join(folder, 'test.db')
  await begin()
})
afterEach(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

const write = (bio = 'written') => fan.post('/api/user/profile', { bio })
const ready = async () => {
  const { status, body } = await world.anonymous.get('/readyz')
  return [status, body.checks.database]
}
const reads = async () => (await world.anonymous.get('/api/teams')).status
/** Drizzle's own way to the connection that writes. */
const writer = () => world.db.write(async tx => (tx as unknown as { $client: Connection }).$client)

describe('A file that another process has locked', () => {
  test('is 503 database_busy after the timeout, reads continue, and the next write succeeds once it is unlocked', async () => {
    const holder = Bun.spawn([process.execPath, join(import.meta.dir, '../db/lock-holder.ts'), path], {
      stdin: 'pipe',
      stdout: 'pipe',
    })
    await holder.stdout.getReader().read()
    const refused = await write()
    expect([...refusal(refused), refused.headers.get('retry-after')]).toEqual([503, 'database_busy', '1'])
    expect([await reads(), ...(await ready())]).toEqual([200, 200, 'ok'])
    holder.stdin.end()
    await holder.exited
    expect((await write()).status).toBe(201)
  })
})

describe('A full disk', () => {
  test('is 507 storage_full with nothing written, /readyz reports it, and writes succeed again once there is space', async () => {
    expect((await write()).status).toBe(201)
    const connection = await writer()
    connection.run('PRAGMA max_page_count = 1')
    let answer = await write('x'.repeat(280))
    // SQLite cuts to the pages there are: what they have left is used up first.
    for (let n = 0; answer.status < 300 && n < 1000; n++) {
      answer = await fan.post('/api/auth/native-token', { deviceName: 'x'.repeat(60) })
    }
    expect(refusal(answer)).toEqual([507, 'storage_full'])
    expect(await ready()).toEqual([503, 'database full'])
    expect(await reads()).toBe(200)
    const kept = (await fan.get('/api/auth/sessions')).body.sessions.length
    expect((await fan.post('/api/auth/native-token', {})).status).toBe(507)
    expect((await fan.get('/api/auth/sessions')).body.sessions).toHaveLength(kept)

    connection.run('PRAGMA max_page_count = 1000000')
    expect(await ready()).toEqual([200, 'ok'])
    expect((await fan.post('/api/auth/native-token', {})).status).toBe(200)
  })
})

describe('A read-only file', () => {
  test('is 503 database_unavailable for a write while reads continue, /readyz reports it, and it recovers', async () => {
    const connection = await writer()
    connection.run('PRAGMA query_only = ON')
    expect(await ready()).toEqual([200, 'ok'])
    expect(refusal(await write())).toEqual([503, 'database_unavailable'])
    expect(await ready()).toEqual([503, 'database read only'])
    expect(await reads()).toBe(200)
    connection.run('PRAGMA query_only = OFF')
    expect(await ready()).toEqual([200, 'ok'])
    expect((await write()).status).toBe(201)
  })
})

describe('A file system that turned read-only', () => {
  test('is 503 database_unavailable for a write while reads continue, /readyz reports it, and it recovers', async () => {
    await world.close()
    let refused: string | undefined
    world = await createWorld({
      name: 'SQLite',
      async open(sources) {
        const disk = {
          ...systemDisk,
          async waitUntilWritable(descriptor: number) {
            if (refused) throw Object.assign(new Error(refused), { code: refused })
            await systemDisk.waitUntilWritable(descriptor)
          },
        }
        const db = openSqlite(path, sources, { spine: createSpine(), offloadDisk: true, disk })
        return { db, url: `sqlite:${path}`, remove: () => db.close() }
      },
    })
    fan = await world.fan()
    expect((await write()).status).toBe(201)
    for (const [code, problem, found] of [
      ['EROFS', 'database_unavailable', 'database read only'],
      ['ENOSPC', 'storage_full', 'database full'],
      ['EIO', 'database_unavailable', 'database unreachable'],
    ]) {
      refused = code
      expect((await write()).body.code).toBe(problem)
      expect(await ready()).toEqual([503, found])
      expect(await reads()).toBe(200)
      refused = undefined
      expect(await ready()).toEqual([200, 'ok'])
      expect((await write()).status).toBe(200)
    }
  })
})

describe('A file system that refuses writes with an error that is not mapped', () => {
  /** Of what the process may append to a file; the write then fails with EFBIG, which SQLite reports as SQLITE_IOERR_WRITE. */
  async function limitFiles(pid: number, bytes: string) {
    const limit = Bun.spawn(['prlimit', '--pid', String(pid), `--fsize=${bytes}:`])
    expect(await limit.exited).toBe(0)
  }

  test.skipIf(!Bun.which('prlimit'))(
    'is 503 database_unavailable for a write while reads continue, /readyz reports it, and it recovers (needs prlimit)',
    async () => {
      const provider = await startProvider()
      const api = await startApi({ DATABASE_URL: `sqlite:${path}`, IDP_ISSUER: provider.issuer })
      const authorization = `Bearer ${await provider.idp.issueToken('fan-0001')}`
      const call = async (method: string, route: string, body?: object) => {
        const response = await fetch(`${api.origin}${route}`, {
          method,
          headers: { authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
          body: body && JSON.stringify(body),
        })
        // Guarantee: every answer of the API is a JSON object.
        return { status: response.status, body: (await response.json()) as Record<string, unknown> }
      }
      const change = (bio: string) => call('POST', '/api/user/profile', { bio })
      const database = async () => {
        const { status, body } = await call('GET', '/readyz')
        return [status, body.checks]
      }
      const ok = { database: 'ok', identityProvider: 'ok' }
      try {
        expect((await change('before')).status).toBe(201)
        await limitFiles(api.process.pid, '1000')
        expect(await change('during')).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
        expect(await database()).toEqual([503, { ...ok, database: 'database unreachable' }])
        expect((await call('GET', '/api/user/profile')).body.bio).toBe('before')
        await limitFiles(api.process.pid, 'unlimited')
        expect(await database()).toEqual([200, ok])
        expect((await change('after')).status).toBe(200)
      } finally {
        await api.stop()
        await provider.stop()
      }
    },
  )
})

describe('A corrupt file', () => {
  /** Garbage over the first page of a table. */
  async function spoil(table: string) {
    const [root] = await withRawConnection({ db: world.db, url: `sqlite:${path}` }, run =>
      run(
        `SELECT rootpage, (SELECT page_size FROM pragma_page_size) AS size FROM sqlite_schema WHERE name = '${table}'`,
      ),
    )
    await world.close()
    const file = openSync(path, 'r+')
    const size = Number(root?.size)
    writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (Number(root?.rootpage) - 1) * size)
    closeSync(file)
  }
  const env = () => ({ DATABASE_URL: `sqlite:${path}`, IDP_ISSUER: 'http://localhost:1' })

  test('is 503 database_unavailable once the damage is read, and /readyz reports it from then on', async () => {
    await spoil('points_entries')
    await begin()
    expect((await write()).status).toBe(201)
    expect(await ready()).toEqual([200, 'ok'])
    expect(refusal(await fan.post('/api/user/onboarding', {}))).toEqual([503, 'database_unavailable'])
    expect((await write()).status).toBe(200)
    expect(await ready()).toEqual([503, 'database corrupt'])
  })

  test('with a damaged schema table is refused at the start', async () => {
    await spoil('__drizzle_migrations')
    await expect(startApi(env())).rejects.toThrow(
      'The database of DATABASE_URL cannot be used: database corrupt.',
    )
    await begin().catch(() => {})
  })

  test('that is truncated is refused at the start', async () => {
    await world.close()
    truncateSync(path, Math.floor(statSync(path).size / 2))
    const refused = await startApi(env()).catch(String)
    expect(refused).toContain('left with 1: The database of DATABASE_URL cannot be used: database corrupt.')
  })
})

describe('A long read transaction, which prevents a complete checkpoint', () => {
  const MEBIBYTE = 1024 * 1024
  const walBytes = () => statSync(`${path}-wal`).size
  /** Writes of a mebibyte each. */
  async function writeMuch(mebibytes: number) {
    const at = new Date(world.clock.ms)
    for (let n = 0; n < mebibytes; n++) {
      const team = {
        id: 'big',
        name: `${n}`.repeat(MEBIBYTE / `${n}`.length),
        shortName: 'BIG',
        active: false,
      }
      await world.db.write(tx =>
        tx
          .insert(tx.tables.teams)
          .values({ ...team, createdAt: at, updatedAt: at })
          .onConflictDoUpdate({ target: tx.tables.teams.id, set: { name: team.name } }),
      )
    }
  }

  test('lets the WAL grow while writes and reads continue; it is truncated after the transaction ends', async () => {
    await withRawConnection({ db: world.db, url: `sqlite:${path}` }, async run => {
      await run('BEGIN')
      await run('SELECT count(*) FROM teams')
      await writeMuch(24)
      expect(walBytes()).toBeGreaterThan(24 * MEBIBYTE)
      expect((await write()).status).toBe(201)
      expect([await reads(), ...(await ready())]).toEqual([200, 200, 'ok'])
      // It sees the state from before.
      expect(await run('SELECT count(*) AS teams FROM teams')).toEqual([{ teams: 0 }])
      await run('COMMIT')
    })
    await writeMuch(2)
    expect(walBytes()).toBeLessThanOrEqual(16 * MEBIBYTE)
  })
})
