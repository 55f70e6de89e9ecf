/** DATABASE_READ_URL with a streaming standby: its lag, its migrations, its loss, and the loss of the primary. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type PostgresCluster, postgresBinaries, startCluster } from '../crash/postgres-cluster.ts'
import { runScript } from '../scripts/run-script.ts'
import { type RunningApi, startApi, startProvider } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'
import { query } from './two-instances.ts'

const missing = postgresBinaries === null ? ' (skipped: PostgreSQL is not installed)' : ''

describe.skipIf(missing !== '')(`a streaming standby${missing}`, () => {
  const tidy: (() => unknown)[] = []
  let primary: PostgresCluster
  let standby: PostgresCluster
  let api: RunningApi
  let issuer: string

  const urls = () => ({ DATABASE_URL: primary.url, DATABASE_READ_URL: standby.url })
  const addTeam = (id: string) =>
    query(
      primary,
      `INSERT INTO teams (id, name, short_name, active, created_at, updated_at) VALUES ('${id}', '${id}', 'TST', true, now(), now())`,
    )
  async function teams(): Promise<string[]> {
    const response = await fetch(`${api.origin}/api/teams`)
    expect(response.status).toBe(200)
    const body = (await response.json()) as { teams: { id: string }[] }
    return body.teams.map(({ id }) => id)
  }
  async function readiness(): Promise<[number, string | undefined]> {
    const response = await fetch(`${api.origin}/readyz`)
    const { checks } = (await response.json()) as { checks: { replica?: string } }
    return [response.status, checks.replica]
  }
  const untilUsed = () =>
    waitUntil('the replica is used', async () =>
      (await readiness()).every(part => part === 200 || part === undefined),
    )
  const untilUnused = () => waitUntil('the replica is not used', async () => (await readiness())[1])
  /** The first check may come after readiness is asked for. */
  const untilReported = (reason: string) => waitUntil(reason, async () => (await readiness())[1] === reason)

  beforeAll(async () => {
    primary = await startCluster(postgresBinaries ?? '')
    tidy.push(() => primary.remove())
    const source = `host=127.0.0.1 port=${primary.port} user=postgres`
    standby = await startCluster(postgresBinaries ?? '', {
      create: (run, data) => run('pg_basebackup', '-D', data, '-R', '-c', 'fast', '-d', source),
    })
    tidy.push(() => standby.remove())
    const provider = await startProvider()
    tidy.push(() => provider.stop())
    issuer = provider.issuer
    // The start migrates the primary: the standby has not replayed that.
    await query(standby, 'SELECT pg_wal_replay_pause()')
    api = await startApi({ ...urls(), IDP_ISSUER: issuer })
    tidy.push(() => api.stop('SIGKILL'))
  })
  afterAll(async () => {
    for (const end of tidy.toReversed()) await end()
  })

  test('serves public reads while it is migrated and close to the primary', async () => {
    expect(await teams()).toEqual([])
    await untilReported('not used: database cannot be read')
    await query(standby, 'SELECT pg_wal_replay_resume()')
    await untilUsed()

    await addTeam('a')
    await waitUntil('the team shows', async () => (await teams()).includes('a'))
    await query(standby, 'SELECT pg_wal_replay_pause()')
    await addTeam('b')
    const committed = performance.now()
    // Of the standby.
    expect(await teams()).toEqual(['a'])
    await waitUntil('the team shows, though the standby does not have it', async () =>
      (await teams()).includes('b'),
    )
    process.stderr.write(`A write showed ${Math.round(performance.now() - committed)} ms after its commit.\n`)
    expect(await readiness()).toEqual([200, 'not used: behind the primary'])
    await query(standby, 'SELECT pg_wal_replay_resume()')
    await untilUsed()
    expect(await teams()).toEqual(['a', 'b'])
  })

  test('is read by commands that only read', async () => {
    for (const [name = '', ...parameters] of [['verify-ledger'], ['verify-quests'], ['events', 'tail']]) {
      const { code, err } = await runScript(name, [...parameters, '--from-replica'], { env: urls() })
      expect([name, code, err]).toEqual([name, 0, ''])
    }
  })

  test('is read in one snapshot by a command that finds something', async () => {
    await query(
      primary,
      // Without the foreign key.
      "SET session_replication_role = 'replica'",
      "INSERT INTO rule_budgets (rule_id, granted) VALUES ('gone', 5)",
    )
    await waitUntil('the standby has it', async () => (await query(standby, 'TABLE rule_budgets')).length > 0)
    const { code, out, err } = await runScript('verify-ledger', ['--from-replica'], { env: urls() })
    expect([code, err]).toEqual([1, ''])
    expect(out).toContain('rule_budgets.granted of gone')
    await query(primary, 'DELETE FROM rule_budgets')
  })

  test('that is stopped, or that no longer responds, fails no request', async () => {
    const events = ['stop', 'SIGSTOP'] as const
    for (const event of events) {
      await untilUsed()
      if (event === 'stop') await standby.stop('fast')
      else await standby.signal('SIGSTOP')
      // Past the age of a response in memory.
      const end = performance.now() + 3_000
      while (performance.now() < end) expect((await teams()).length).toBeGreaterThan(0)
      await untilUnused()
      if (event === 'SIGSTOP') await standby.signal('SIGKILL')
      await standby.start()
    }
    await untilUsed()
  })

  test('serves public reads while the primary is gone', async () => {
    await untilUsed()
    const before = await teams()
    await primary.stop('immediate')
    const end = performance.now() + 5_000
    while (performance.now() < end) expect(await teams()).toEqual(before)
    expect((await readiness())[0]).toBe(503)
    await primary.start()
    await untilUsed()
    await addTeam('c')
    await waitUntil('the team shows', async () => (await teams()).includes('c'))
  })

  test('of a database that is SERIALIZABLE is read by a role of another level', async () => {
    const restart = async (DATABASE_READ_URL: string) => {
      await api.stop()
      api = await startApi({ ...urls(), DATABASE_READ_URL, IDP_ISSUER: issuer })
    }
    await query(primary, "ALTER DATABASE postgres SET default_transaction_isolation = 'serializable'")
    await query(primary, 'CREATE ROLE reader LOGIN IN ROLE pg_read_all_data')
    await restart(standby.url)
    await untilReported('not used: database cannot be read')

    await query(primary, "ALTER ROLE reader SET default_transaction_isolation = 'repeatable read'")
    await restart(standby.url.replace('postgres@', 'reader@'))
    await untilUsed()
    expect((await teams()).length).toBeGreaterThan(0)
  })
})
