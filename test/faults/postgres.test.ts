/** A PostgreSQL server that is gone and comes back, that is full, or that takes no writes, as clients see it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { DatabaseError, type Transaction, translateDatabaseError } from '../../db/index.ts'
import { openPostgres } from '../../db/postgres/database.ts'
import { createSpine } from '../../src/app/spine.ts'
import { execute, withRawConnection } from '../db/probe.ts'
import { refusal } from '../play/packs/packs-world.ts'
import { type Engine, noServer, postgresEngine, type TemporaryDatabase } from '../support/engines.ts'
import { type Relay, startRelay } from '../support/relay.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorld, type Fan, type World } from '../support/world.ts'

describe.skipIf(noServer !== '')(`A server that is gone and comes back (PostgreSQL)${noServer}`, () => {
  let direct: TemporaryDatabase
  let relay: Relay
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
      const db = openPostgres(url.href, sources, {
        spine: createSpine(),
        postgres: { statementTimeoutMs: 3_000 },
      })
      return { db, url: url.href, remove: () => db.close() }
    },
  }

  // A silenced connection of one test must not outlast it: a world for each.
  beforeEach(async () => {
    world = await createWorld(throughRelay)
    fan = await world.fan()
    expect((await write()).status).toBe(201)
  })
  afterEach(async () => {
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
    await waitUntil('the server is ready again', async () => (await ready())[0] === 200)
  }

  test('every response is 503 database_unavailable, /readyz reports it, and the API recovers without a restart', async () => {
    expect((await write()).status).toBe(200)
    // Past the age of anything cached.
    world.clock.advance(1000)
    relay.cut()
    const during = await Promise.all([
      write(),
      world.anonymous.get('/api/teams'),
      fan.get('/api/user/points'),
    ])
    expect(during.map(refusal)).toEqual(Array(3).fill([503, 'database_unavailable']))
    expect(during.map(({ headers }) => headers.get('retry-after'))).toEqual(['1', '1', '1'])
    // While a check takes longer than 20 ms, the last success of up to a second ago counts.
    await waitUntil('/readyz reports it', async () => (await ready())[1] === 'database unreachable')
    expect(await ready()).toEqual([503, 'database unreachable'])
    relay.mend()
    await readyAgain()
    expect((await write('back')).body.bio).toBe('back')
  })

  test('a read-only server, as after a failover: reads continue, /readyz reports it, and it recovers', async () => {
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

  const row = async (id: string) =>
    (await world.db.read.select().from(world.db.tables.teams)).find(team => team.id === id)?.name
  const addTeam = (tx: Transaction, id: string) =>
    tx.insert(tx.tables.teams).values({
      id,
      name: id,
      shortName: 'TST',
      active: false,
      createdAt: tx.now(),
      updatedAt: tx.now(),
    })

  test('without responses on any connection each request is 503 database_unavailable, and it recovers without a restart', async () => {
    expect((await write('before')).status).toBe(200)
    relay.silence()
    const during = await Promise.all([
      write('during'),
      fan.get('/api/user/profile'),
      fan.get('/api/user/points'),
      fan.get('/api/auth/sessions'),
    ])
    expect(during.map(refusal)).toEqual(Array(4).fill([503, 'database_unavailable']))
    expect(during.map(({ headers }) => headers.get('retry-after'))).toEqual(Array(4).fill('1'))
    expect(await ready()).toEqual([503, 'database unreachable'])
    relay.answerAgain()
    await readyAgain()
    expect((await write('heard')).body.bio).toBe('heard')
  })

  test.each(['BEGIN', 'SELECT', 'COMMIT'])(
    'no response after %s ends the write as unreachable, and its connection is not used again',
    async statement => {
      const id = statement.toLowerCase()
      relay.silenceAt(statement)
      const lost = world.db.write(async tx => {
        await addTeam(tx, id)
        await execute(tx, 'SELECT 1')
      })
      await expect(lost).rejects.toThrow('database unreachable')
      // As many as the pool has connections: one of them would meet the silent one.
      const writes = Array.from({ length: 10 }, (_, n) => world.db.write(tx => addTeam(tx, `${id}-${n}`)))
      expect(await Promise.all(writes)).toHaveLength(10)
      // The outcome of a COMMIT without a response is unknown: here the server has received it.
      expect(await row(id)).toBe(statement === 'COMMIT' ? id : undefined)
    },
  )

  test('no response after a first read ends the write as unreachable, and its connection is not used again', async () => {
    const { teams } = world.db.tables
    // In the first unit of work of a connection BEGIN is prepared, in the second one it is sent with the read.
    const read = (tx: Transaction, name: string) => tx.select({ name: sql.raw(`'${name}'`) }).from(teams)
    const all = (name: string) =>
      Promise.all(Array.from({ length: 10 }, () => world.db.write(tx => read(tx, name))))
    await all('heard first')
    relay.silenceAt('lost first')
    const lost = world.db.write(async tx => {
      await read(tx, 'lost first')
      await addTeam(tx, 'lost-first')
    })
    await expect(lost).rejects.toThrow('database unreachable')
    expect(await all('heard again')).toHaveLength(10)
    expect(await row('lost-first')).toBeUndefined()
  })

  test('a read without a response ends as unreachable, and its connection is not used again', async () => {
    const { teams } = world.db.tables
    relay.silenceAt('as lost')
    const lost = world.db.read.select({ lost: sql`1 as lost` }).from(teams)
    expect(await lost.catch(translateDatabaseError)).toMatchObject({ fault: 'unreachable' })
    const reads = Array.from({ length: 30 }, () => world.db.read.select().from(teams))
    expect(await Promise.all(reads)).toHaveLength(30)
  })

  test('a row that another client has locked is 503 database_busy once the statement timeout has passed', async () => {
    expect((await write('unlocked')).status).toBe(200)
    await withRawConnection(direct, async run => {
      await run('BEGIN')
      await run('UPDATE users SET bio = bio')
      const refused = await write('locked')
      expect([...refusal(refused), refused.headers.get('retry-after')]).toEqual([503, 'database_busy', '1'])
      await run('ROLLBACK')
    })
    expect((await write('free')).body.bio).toBe('free')
  })

  test('a table that another client has locked: the server is asked to stop the read', async () => {
    const { teams } = world.db.tables
    await withRawConnection(direct, async run => {
      await run('BEGIN')
      await run('LOCK TABLE teams')
      const refused = world.db.read.select({ name: sql`'waits'` }).from(teams)
      expect(await refused.catch(translateDatabaseError)).toBeInstanceOf(DatabaseError)
      const waiting = `SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%''waits''%' AND state = 'active' AND pid <> pg_backend_pid()`
      await waitUntil('the read is cancelled', async () => Number((await run(waiting))[0]?.waiting) === 0)
      await run('ROLLBACK')
    })
  })

  test('reads behind a table lock are 503 database_busy, more of them than there are connections', async () => {
    await withRawConnection(direct, async run => {
      await run('BEGIN')
      await run('LOCK TABLE points_entries')
      const refused = await Promise.all(Array.from({ length: 15 }, () => fan.get('/api/user/points')))
      expect(refused.map(refusal)).toEqual(Array(15).fill([503, 'database_busy']))
      await run('ROLLBACK')
    })
    expect((await fan.get('/api/user/points')).status).toBe(200)
  })

  test('a server without disk space is 507 storage_full', async () => {
    const refused = world.db.write(tx =>
      execute(tx, `DO $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$`),
    )
    await expect(refused).rejects.toThrow('database full')
    // `test/platform/http/problems.test.ts` checks the response. As soon as it accepts a write, it is ready again.
    expect(await ready()).toEqual([200, 'ok'])
  })
})
