/** A PostgreSQL server that answers reads and takes no writes: /readyz must report it for as long as it lasts. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openDatabase } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { createSpine } from '../../src/app/spine.ts'
import { type PostgresCluster, postgresBinaries, startCluster } from '../crash/postgres-cluster.ts'
import { refusal } from '../play/packs/packs-world.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorld, type Fan, type World } from '../support/world.ts'

const TABLESPACE_BYTES = 48 * 1024 * 1024

/** A file system of its own, which a test can fill; null where this process may not mount one. */
function mountSmallDisk(): { path: string; unmount(): void } | null {
  const path = mkdtempSync(join(tmpdir(), 'matchday-disk-'))
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${TABLESPACE_BYTES}`, 'tmpfs', path])
  if (mounted.exitCode !== 0) {
    rmSync(path, { recursive: true })
    return null
  }
  return {
    path,
    unmount() {
      Bun.spawnSync(['umount', path])
      rmSync(path, { recursive: true })
    },
  }
}

const disk = postgresBinaries && process.getuid?.() === 0 ? mountSmallDisk() : null
const missing = !postgresBinaries
  ? ' (skipped: no PostgreSQL server is installed)'
  : disk
    ? ''
    : ' (skipped: mounting a file system needs root)'

describe.skipIf(missing !== '')(`A PostgreSQL server that takes no writes${missing}`, () => {
  let cluster: PostgresCluster
  let world: World
  let fan: Fan

  const administrate = async (statement: string) => {
    const client = new SQL(cluster.url, { max: 1 })
    await client.unsafe(statement).finally(() => client.close())
  }

  beforeAll(async () => {
    cluster = await startCluster(postgresBinaries ?? '')
    const location = disk?.path ?? ''
    const { uid, gid } = statSync(cluster.folder)
    chownSync(location, uid, gid)
    await administrate(`CREATE TABLESPACE small LOCATION '${location}'`)
    await administrate('CREATE DATABASE small TABLESPACE small')
    const address = new URL(cluster.url)
    address.pathname = '/small'
    world = await createWorld({
      name: 'PostgreSQL',
      async open(sources) {
        await migrate(address.href)
        const db = openDatabase(address.href, sources, {
          spine: createSpine(),
          postgres: { statementTimeoutMs: 1_000 },
        })
        return { db, url: address.href, remove: () => db.close() }
      },
    })
    fan = await world.fan()
  })
  afterAll(async () => {
    await world.close()
    await cluster.remove()
    disk?.unmount()
  })

  const database = async () => {
    const { status, body } = await world.anonymous.get('/readyz')
    return [status, body.checks.database]
  }
  const signIn = () => fan.post('/api/auth/native-token', { deviceName: 'x'.repeat(60) })

  test('because its disk is full is not ready until there is space again', async () => {
    expect((await signIn()).status).toBe(200)
    const filler = join(disk?.path ?? '', 'filler')
    expect(() => writeFileSync(filler, Buffer.alloc(TABLESPACE_BYTES))).toThrow('ENOSPC')
    let answer = await signIn()
    // Pages that the tables have already are used up first.
    for (let n = 0; answer.status < 300 && n < 2_000; n++) answer = await signIn()
    expect(refusal(answer)).toEqual([507, 'storage_full'])
    expect(await database()).toEqual([503, 'database full'])
    expect(await database()).toEqual([503, 'database full'])
    expect((await fan.get('/api/auth/sessions')).status).toBe(200)

    rmSync(filler)
    expect(await database()).toEqual([200, 'ok'])
    expect((await signIn()).status).toBe(200)
  })

  test('because its synchronous standby is down is not ready until commits succeed again', async () => {
    const awaitStandby = async (name: string) => {
      await administrate(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`)
      await administrate('SELECT pg_reload_conf()')
    }
    const setting = async () => {
      const client = new SQL(cluster.url, { max: 1 })
      const [row] = await client.unsafe('SHOW synchronous_standby_names').finally(() => client.close())
      return row.synchronous_standby_names
    }
    await awaitStandby('gone')
    await waitUntil('the setting is in force', async () => (await setting()) === 'gone')
    expect(refusal(await signIn())).toEqual([503, 'database_unavailable'])
    expect(await database()).toEqual([503, 'database unreachable'])
    expect((await fan.get('/api/auth/sessions')).status).toBe(200)

    await awaitStandby('')
    await waitUntil('the database is ready', async () => (await database())[0] === 200)
    expect((await signIn()).status).toBe(200)
  })
})
