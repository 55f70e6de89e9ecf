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
      await run(`ALTER ROLE ${role} SET search_path = ${role}`)
      await run(`CREATE SCHEMA ${role} AUTHORIZATION ${role}`)
    })
    address.username = role
    address.password = 'club'
    env = { DATABASE_URL: address.href }
    await migrate(address.href)
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
      await run(statement)
      return (await run('SELECT count(*)::int AS teams FROM teams'))[0]?.teams
    })

  /** The command for PostgreSQL in what a script prints, with the file in place of FILE. */
  async function printed(script: string, tool: string, parameters: string): Promise<string> {
    const { err } = await runScript(script, [file], { env })
    const [command = ''] = new RegExp(`${tool} .*`).exec(err) ?? []
    return command.replace('FILE', parameters)
  }

  const run = async (command: string) => {
    const child = Bun.spawn(['sh', '-c', command], { env: { ...process.env, ...env }, stderr: 'pipe' })
    const err = await new Response(child.stderr).text()
    return { code: await child.exited, err }
  }

  test('is as it was after a restore that failed', async () => {
    const dump = await run(`pg_dump --format=custom --schema=${role} --file=${file} "$DATABASE_URL"`)
    expect(dump).toEqual({ code: 0, err: '' })
    const { code, err } = await run(await printed('restore', 'pg_restore', file))
    expect([code, err]).toEqual([1, expect.stringContaining('permission denied for database')])
    expect(await countTeams('SELECT 1')).toBe(1)
  })
})
