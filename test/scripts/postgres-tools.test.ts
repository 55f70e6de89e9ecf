/** The commands of PostgreSQL's own tools that `backup` and `restore` print, run as they stand there. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../db/migrate.ts'
import { withRawConnection } from '../db/probe.ts'
import { createClock } from '../support/clock.ts'
import { noServer, postgresEngine, type TemporaryDatabase } from '../support/engines.ts'
import { runScript } from './run-script.ts'

const missing = Bun.which('pg_restore') === null ? ' (skipped: no pg_restore)' : noServer

describe.skipIf(missing !== '')(`A schema whose role may not create schemas (PostgreSQL)${missing}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-dump-'))
  const file = join(folder, 'club.dump')
  let temporary: TemporaryDatabase
  let role: string
  let env: Record<string, string>

  beforeAll(async () => {
    temporary = await postgresEngine.open(createClock())
    const address = new URL(temporary.url ?? '')
    role = `${address.pathname.slice(1)}_club`
    await withRawConnection(temporary, async run => {
      await run(`CREATE ROLE ${role} LOGIN PASSWORD 'club'`)
      await run(`CREATE SCHEMA ${role} AUTHORIZATION ${role}`)
    })
    address.username = role
    address.password = 'club'
    env = { DATABASE_URL: address.href, DATABASE_SCHEMA: role }
    await migrate(address.href, { schema: role })
    await countTeams(
      "INSERT INTO teams (id, name, short_name, active, created_at, updated_at) VALUES ('fc', 'FC', 'FC', true, now(), now())",
    )
  })
  afterAll(async () => {
    await withRawConnection(temporary, async run => {
      await run(`DROP OWNED BY ${role}`)
      await run(`DROP ROLE ${role}`)
    })
    await temporary.remove()
    rmSync(folder, { recursive: true })
  })

  /** As the role, after a statement. */
  const countTeams = (statement: string) =>
    withRawConnection({ db: temporary.db, url: env.DATABASE_URL ?? '' }, async run => {
      await run(`SET search_path = ${role}`)
      await run(statement)
      return (await run('SELECT count(*)::int AS teams FROM teams'))[0]?.teams
    })

  /** Runs the command for PostgreSQL that a script prints, with the file in place of FILE. */
  async function runPrinted(script: string, tool: string, settings = env) {
    const { err: text } = await runScript(script, [`${file}.db`], { env: settings })
    const [command = ''] = new RegExp(`${tool} .*`).exec(text) ?? []
    const PATH = process.env.PATH ?? ''
    const shell = ['sh', '-c', command.replace('FILE', file)]
    const child = Bun.spawn(shell, { env: { PATH, ...settings }, stderr: 'pipe' })
    const err = await new Response(child.stderr).text()
    return { code: await child.exited, err }
  }

  test('is dumped alone, and restored as it was', async () => {
    expect(await runPrinted('backup', 'pg_dump')).toEqual({ code: 0, err: '' })
    expect(await countTeams('DELETE FROM teams')).toBe(0)
    expect(await runPrinted('restore', 'pg_restore')).toEqual({ code: 0, err: '' })
    expect(await countTeams('SELECT 1')).toBe(1)
    expect((await runScript('verify-ledger', [], { env })).code).toBe(0)
  })

  test('is as it was after a restore that failed', async () => {
    expect(await runPrinted('backup', 'pg_dump')).toEqual({ code: 0, err: '' })
    // Without the name of the schema, the restore drops the schema as well.
    const { code, err } = await runPrinted('restore', 'pg_restore', { DATABASE_URL: env.DATABASE_URL ?? '' })
    expect([code, err]).toEqual([1, expect.stringContaining('permission denied for database')])
    expect(await countTeams('SELECT 1')).toBe(1)
  })
})
