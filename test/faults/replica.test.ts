/** A replica whose server refuses, is silent, or is lost during a read: public reads continue, without waiting for it each time. */
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openPostgres } from '../../db/postgres/database.ts'
import { createSpine } from '../../src/app/spine.ts'
import { realSources } from '../../src/core/sources.ts'
import { type Engine, noServer, postgresEngine, type TemporaryDatabase } from '../support/engines.ts'
import { freePort, type RunningProvider, startApi, startProvider } from '../support/processes.ts'
import { type Relay, startRelay } from '../support/relay.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorld, type World } from '../support/world.ts'

describe.skipIf(noServer !== '')(`A replica (PostgreSQL)${noServer}`, () => {
  let opened: TemporaryDatabase[]
  let relay: Relay
  let world: World

  /** The second database that is opened is the replica. */
  const throughRelay = (statementTimeoutMs: number): Engine => ({
    name: 'PostgreSQL',
    async open(sources, observer) {
      const direct = await postgresEngine.open(sources, observer)
      if (opened.push(direct) === 1) return direct
      const url = new URL(direct.url ?? '')
      relay = startRelay(url)
      url.hostname = '127.0.0.1'
      url.port = String(relay.port)
      const db = openPostgres(url.href, sources, { spine: createSpine(), postgres: { statementTimeoutMs } })
      return { db, url: url.href, remove: () => db.close() }
    },
  })

  /** `statementTimeoutMs`: long where a test does not wait for it, so that no slow machine meets it. */
  async function start(statementTimeoutMs = 60_000) {
    opened = []
    world = await createWorld(throughRelay(statementTimeoutMs), { replica: true })
    await world.team()
    expect(await teams()).toBe(0)
    world.clock.advance(1_000)
  }
  afterEach(async () => {
    await world.close()
    relay.stop()
    // The world has closed the primary.
    await opened[1]?.remove()
  })

  /** One on the primary, none on the replica. */
  const teams = async (): Promise<number> => {
    const { status, body } = await world.anonymous.get('/api/teams')
    return status === 200 ? body.teams.length : status
  }
  const check = () => world.deps.publicReads.check()
  const problem = () => world.deps.publicReads.replica?.problem()
  const lines = () =>
    world.logged.map(line => JSON.parse(line)).filter(({ msg }) => msg?.startsWith('public reads'))

  /** The replica is asked by no request, and is used again once it answers. */
  async function expectHealing(mend: () => void) {
    const asked = spyOn(world.replica?.read ?? ({} as never), 'select')
    for (let n = 0; n < 2; n++) {
      world.clock.advance(1_000)
      const queries = asked.mock.calls.length
      expect(await teams()).toBe(1)
      expect(asked.mock.calls.length).toBe(queries)
      await check()
    }
    asked.mockRestore()
    const { status, body } = await world.anonymous.get('/readyz')
    expect([status, body.checks.replica]).toEqual([200, 'not used: database unreachable'])
    expect(lines().map(({ level }) => level)).toEqual([30, 40])
    mend()
    await waitUntil('the replica is used again', async () => {
      world.clock.advance(1_000)
      await check()
      return problem() === null
    })
    expect(await teams()).toBe(0)
    expect(lines().map(({ level }) => level)).toEqual([30, 40, 30])
  }

  test('that refuses connections: the primary answers, and it is used again once it accepts them', async () => {
    await start()
    relay.cut()
    expect(await teams()).toBe(1)
    await check()
    await expectHealing(() => relay.mend())
  })

  test('that accepts and does not respond: only requests of that moment wait, and they are answered', async () => {
    await start(3_000)
    relay.silence()
    expect(await Promise.all([teams(), teams(), teams()])).toEqual([1, 1, 1])
    await check()
    await expectHealing(() => relay.answerAgain())
  })

  test('that is lost during a read: the primary answers it', async () => {
    await start()
    const blocker = new SQL(opened[1]?.url ?? '', { max: 1 })
    const connection = await blocker.reserve()
    await connection.unsafe('BEGIN; LOCK TABLE teams IN ACCESS EXCLUSIVE MODE').simple()
    const answer = teams()
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'teams'::regclass`
    await waitUntil('the read runs', async () => (await connection.unsafe(waiting)).length > 0)
    relay.cut()
    expect(await answer).toBe(1)
    await connection.unsafe('ROLLBACK')
    connection.release()
    await blocker.close()
    await check()
    await expectHealing(() => relay.mend())
  })
})

describe.skipIf(noServer !== '')(`A process whose replica is gone (PostgreSQL)${noServer}`, () => {
  let primary: TemporaryDatabase
  let provider: RunningProvider
  beforeAll(async () => {
    primary = await postgresEngine.open(realSources)
    provider = await startProvider()
  })
  afterAll(async () => {
    await provider.stop()
    await primary.remove()
  })

  test('starts, is ready, serves public reads, and logs why once, without the password', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
    const file = join(folder, 'url')
    await Bun.write(file, `postgres://reader:hidden-password@127.0.0.1:${freePort()}/matchday\n`)
    const api = await startApi({
      DATABASE_URL: primary.url ?? '',
      DATABASE_READ_URL_FILE: file,
      IDP_ISSUER: provider.issuer,
    })
    const about = () => api.output.filter(line => line.includes('public reads use the primary'))
    await waitUntil('the log tells', async () => about().length > 0)
    expect((await fetch(`${api.origin}/api/teams`)).status).toBe(200)
    const ready = await fetch(`${api.origin}/readyz`)
    const { checks } = (await ready.json()) as { checks: { replica?: string } }
    expect([ready.status, checks.replica]).toEqual([200, 'not used: database unreachable'])
    expect(await api.stop()).toBe(0)
    expect(about()).toHaveLength(1)
    expect(api.output.join('\n')).not.toContain('hidden-password')
    rmSync(folder, { recursive: true })
  })
})
