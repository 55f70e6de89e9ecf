/** A PostgreSQL server that is gone and comes back, that is full, or that takes no writes, as clients see it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openPostgres } from '../../db/postgres.ts'
import { execute, withRawConnection } from '../db/probe.ts'
import { refusal } from '../packs/packs-world.ts'
import { type Engine, postgresEngine, type TemporaryDatabase } from '../support/engines.ts'
import { createWorld, type Fan, type World } from '../support/world.ts'

/** The way to the server, which a test can cut and mend. */
function startRelay(server: URL) {
  const upstream = { hostname: server.hostname, port: Number(server.port || 5432) }
  type Side = { other?: Bun.Socket<Side>; waiting: Buffer[] }
  const pass = (to: Bun.Socket<Side> | undefined, bytes: Buffer, waiting: Buffer[]) =>
    to ? void to.write(bytes) : void waiting.push(Buffer.from(bytes))
  const clients = new Set<Bun.Socket<Side>>()
  let port = 0
  let swallowing = false
  const listen = () =>
    Bun.listen<Side>({
      hostname: '127.0.0.1',
      port,
      socket: {
        open(client) {
          client.data = { waiting: [] }
          clients.add(client)
          void Bun.connect<Side>({
            ...upstream,
            data: { other: client, waiting: [] },
            socket: {
              open(to) {
                client.data.other = to
                for (const bytes of client.data.waiting.splice(0)) to.write(bytes)
              },
              data: (_, bytes) => void (swallowing || client.write(bytes)),
              close: () => void client.end(),
            },
          })
        },
        data: (client, bytes) => pass(client.data.other, bytes, client.data.waiting),
        close(client) {
          clients.delete(client)
          client.data.other?.end()
        },
      },
    })
  let listener = listen()
  port = listener.port
  return {
    port,
    cut() {
      listener.stop(true)
      for (const client of clients) client.terminate()
    },
    mend() {
      listener = listen()
    },
    /** Says nothing any more, and closes nothing. */
    swallow(on: boolean) {
      swallowing = on
    },
    stop: () => listener.stop(true),
  }
}

describe.skipIf(postgresEngine.name !== 'PostgreSQL')(
  'A server that is gone and comes back (PostgreSQL)',
  () => {
    let direct: TemporaryDatabase
    let relay: ReturnType<typeof startRelay>
    let world: World
    let fan: Fan

    const throughRelay: Engine = {
      name: 'PostgreSQL',
      async open(sources) {
        direct = await postgresEngine.open(sources)
        const url = new URL(direct.url ?? '')
        relay = startRelay(url)
        url.hostname = '127.0.0.1'
        url.port = String(relay.port)
        const db = openPostgres(url.href, sources, { pingPatienceMs: 100 })
        return { db, url: url.href, remove: () => db.close() }
      },
    }

    beforeAll(async () => {
      world = await createWorld(throughRelay)
      fan = await world.fan()
    })
    afterAll(async () => {
      await world.close()
      relay.stop()
      await direct.remove()
    })

    const write = (bio = 'written') => fan.post('/api/user/profile', { bio })
    const ready = async () => {
      const { status, body } = await world.anonymous.get('/readyz')
      return [status, body.checks.database]
    }
    const readyAgain = async () => {
      while ((await ready())[0] !== 200) await Bun.sleep(5)
    }

    test('every answer meanwhile is 503 database_unavailable, /readyz tells, and it heals without a restart', async () => {
      expect((await write()).status).toBe(201)
      relay.cut()
      const during = await Promise.all([
        write(),
        world.anonymous.get('/api/teams'),
        fan.get('/api/user/points'),
      ])
      expect(during.map(refusal)).toEqual(Array(3).fill([503, 'database_unavailable']))
      expect(during.map(({ headers }) => headers.get('retry-after'))).toEqual(['1', '1', '1'])
      expect(await ready()).toEqual([503, 'database unreachable'])
      relay.mend()
      await readyAgain()
      expect((await write('back')).body.bio).toBe('back')
    })

    test('one that takes no writes, as after a failover: reads go on, /readyz tells, and it heals', async () => {
      const name = new URL(direct.url ?? '').pathname.slice(1)
      const readOnly = (on: boolean) =>
        withRawConnection(direct, async run => {
          await run('SET default_transaction_read_only = off')
          await run(`ALTER DATABASE ${name} SET default_transaction_read_only = ${on}`)
          // A setting of a database is for connections to come.
          await run(
            `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
          )
        })
      await readOnly(true)
      await readyAgain()
      expect(refusal(await write())).toEqual([503, 'database_unavailable'])
      expect(await ready()).toEqual([503, 'database read only'])
      expect((await world.anonymous.get('/api/teams')).status).toBe(200)
      await readOnly(false)
      await readyAgain()
      expect((await write('again')).body.bio).toBe('again')
    })

    test('one that says nothing, as behind a network that swallows packets: /readyz does not wait for it', async () => {
      relay.swallow(true)
      expect(await ready()).toEqual([503, 'database unreachable'])
      relay.swallow(false)
      // What was swallowed never comes: the connections that waited for it are given up.
      relay.cut()
      relay.mend()
      await readyAgain()
      expect((await write('heard')).body.bio).toBe('heard')
    })

    test('one without room is 507 storage_full', async () => {
      const refused = world.db.write(tx =>
        execute(tx, `DO $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$`),
      )
      await expect(refused).rejects.toThrow('database full')
      // What it answers is in `test/http/problems.test.ts`; as soon as it takes a write, it is ready again.
      expect(await ready()).toEqual([200, 'ok'])
    })
  },
)
