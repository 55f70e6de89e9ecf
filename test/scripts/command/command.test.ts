/** The framework of the commands: output, errors and exit codes. */

import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DrizzleQueryError } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { sqlite } from '../../../db/schema/columns.ts'
import { tablesOf } from '../../../db/schema/tables.ts'
import { explainError, redact } from '../../../scripts/command/explain.ts'
import { createProgress, durationOf } from '../../../scripts/command/progress.ts'
import { withRawConnection } from '../../db/probe.ts'
import { createClock } from '../../support/clock.ts'
import { engines, noServer, sqliteEngine } from '../../support/engines.ts'
import { programOf, testedExecutable } from '../../support/executable.ts'
import { runScript } from '../run-script.ts'

test('passwords of URLs are never shown', () => {
  expect(redact('postgres://fan:s3cret@db:5432/x is down')).toBe('postgres://fan:***@db:5432/x is down')
  expect(redact('postgres://fan:p@ss:w@db/x')).toBe('postgres://fan:***@db/x')
  expect(redact('postgres://db/x?user=fan&password=s3cret&sslmode=require')).toBe(
    'postgres://db/x?user=fan&password=***&sslmode=require',
  )
  expect(redact('sqlite:data/matchday.db')).toBe('sqlite:data/matchday.db')
})

test.each(engines)(
  'the error of a failed statement contains neither its text nor its values ($name)',
  async engine => {
    const { db, remove } = await engine.open(createClock())
    const { teams } = db.tables
    const at = new Date(0)
    const team = { id: 'a', name: 'secret', shortName: 'A', active: true, createdAt: at, updatedAt: at }
    await db.write(tx => tx.insert(teams).values(team))
    const error = await db.write(tx => tx.insert(teams).values(team)).catch((thrown: unknown) => thrown)
    expect(explainError(error)).toContain('a value that must be unique exists already')
    expect(explainError(error)).not.toMatch(/secret|insert into|constraint|teams/i)
    await remove()
  },
)

/** As the drivers report a violation. */
const violations = Object.values(tablesOf(sqlite)).flatMap(table => {
  // Guarantee of the cast: the builders of `sqlite` make tables of SQLite.
  const { name, checks, indexes, foreignKeys } = getTableConfig(table as unknown as SQLiteTable)
  const unique = indexes.filter(({ config }) => config.unique).map(({ config }) => config.name)
  return [
    ...checks.map(check => ['23514', 'SQLITE_CONSTRAINT_CHECK', check.name]),
    ...unique.map(index => ['23505', 'SQLITE_CONSTRAINT_UNIQUE', index]),
    ...foreignKeys.map(key => ['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY', key.getName()]),
    ['23502', 'SQLITE_CONSTRAINT_NOTNULL', `${name}.id`],
    ['P0001', 'SQLITE_CONSTRAINT_TRIGGER', `${name} is append-only`],
  ]
})

test('no text of the database reaches an operator, whatever constraint refuses a write', () => {
  expect(violations.length).toBeGreaterThan(300)
  for (const [sqlState = '', code = '', name = ''] of violations) {
    const drivers = [
      Object.assign(new Error(`${code} constraint failed: ${name}`), { code }),
      Object.assign(new Error(`new row violates "${name}"`), {
        code: 'ERR_POSTGRES_SERVER_ERROR',
        errno: sqlState,
      }),
    ]
    for (const driver of drivers)
      for (const error of [driver, new DrizzleQueryError('insert into secrets', [name], driver)]) {
        const text = explainError(error)
        expect(text).toStartWith('The database refused the change, and nothing of it was kept: ')
        expect(text).not.toContain(name)
        expect(text).not.toMatch(/constraint|violates|secrets/)
      }
  }
})

test.each([
  ['22003', 'SQLITE_TOOBIG', 'a value does not fit its column or its type'],
  ['22021', 'SQLITE_MISMATCH', 'a value does not fit its column or its type'],
  ['22P02', 'SQLITE_RANGE', 'a value does not fit its column or its type'],
  ['42703', 'SQLITE_ERROR', 'the statement does not fit the schema of the database'],
  ['42501', 'SQLITE_AUTH', 'the role of the connection may not do that'],
  ['XX000', 'SQLITE_INTERNAL', 'the database reports a fault of its own'],
  ['0A000', 'SQLITE_MISUSE', 'the database reports a fault of its own'],
])('no text of the database reaches an operator with %s or %s', (errno, code, words) => {
  const driver = new Error('column users.secret does not exist: secret')
  for (const [thrown, named] of [
    [
      Object.assign(new Error(driver.message), { errno, code: 'ERR_POSTGRES_SERVER_ERROR' }),
      `SQLSTATE ${errno}`,
    ],
    [Object.assign(new Error(driver.message), { code: errno }), `SQLSTATE ${errno}`],
    [Object.assign(new Error(driver.message), { code }), code],
  ] as const)
    for (const error of [thrown, new DrizzleQueryError('insert into secrets', ['secret'], thrown)])
      expect(explainError(error)).toBe(`The database rejected the statement: ${words} (${named}).`)
  expect(explainError(new DrizzleQueryError('insert into secrets', [], driver))).not.toContain('secret')
})

test('progress is a bar with rate and time left on a terminal', () => {
  let [ms, written] = [0, '']
  const terminal = {
    isTTY: true,
    write(text: string) {
      written += text
    },
  }
  const progress = createProgress('fans', terminal, () => ms)
  ms = 10_000
  progress(500, 1_000)
  expect(written).toBe(`\r${'█'.repeat(15)}${'░'.repeat(15)} 500/1000 fans, 50/s, 10 s left\x1b[K`)
  progress.end()
  expect(written).toEndWith('\n')
})

test('progress is a plain line every five seconds without a terminal', () => {
  let ms = 0
  const lines: string[] = []
  const progress = createProgress('fans', { write: (text: string) => lines.push(text) }, () => ms)
  for (let done = 1; done <= 12; done++) {
    ms += 1_000
    progress(done, 12)
  }
  progress.end()
  expect(lines).toEqual(['41 %, 5/12 fans, 1/s, 7.0 s left\n', '83 %, 10/12 fans, 1/s, 2.0 s left\n'])
})

test('durations are formatted for people', () => {
  expect([420, 12_000, 200_000, 7_500_000].map(durationOf)).toEqual([
    '0.4 s',
    '12 s',
    '3 min 20 s',
    '2 h 5 min',
  ])
})

test('--json prints one document to standard output, also when the command fails', async () => {
  const database = `sqlite:${join(import.meta.dir, 'nowhere', 'none.db')}`
  const { code, out, err } = await runScript('refund', ['--json', '--database', database])
  expect(code).toBe(1)
  expect(JSON.parse(out).error).toContain('There is no database at')
  expect(err).toContain('bun run migrate')
})

test('a missing database is not created', async () => {
  const gone = await sqliteEngine.open(createClock())
  await gone.remove()
  const path = gone.url?.slice('sqlite:'.length) ?? ''
  const { code, err } = await runScript('refund', ['--database', `sqlite:${path}`])
  expect({ code, err }).toEqual({
    code: 1,
    err: `There is no database at ${path}; \`bun run migrate\` creates one.\n`,
  })
  expect(existsSync(path)).toBe(false)
})

test('a usage error exits with 2, is explained, and shows no password', async () => {
  const { code, out, err } = await runScript('migrate', ['--databse=postgres://fan:s3cret@db/x'])
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain('unknown option')
  expect(err).toContain('bun run migrate --database sqlite:data/other.db')
  expect(err).not.toContain('s3cret')
})

test('--database is validated like DATABASE_URL, and replaces DATABASE_URL_FILE', async () => {
  const env = { DATABASE_URL_FILE: '/dev/null' }
  const { code, err } = await runScript('migrate', ['--database', 'mysql://db/x'], { env })
  expect(code).toBe(2)
  expect(err).toContain('--database must be sqlite:PATH or postgres://…')
  expect(err).not.toContain('DATABASE_URL_FILE')
})

test.each([
  ['seed', []],
  ['refund', []],
  ['erase-user', ['--subject', 'x']],
])('--database is validated first by %s, which reads the whole configuration', async (name, parameters) => {
  const { code, out, err } = await runScript(name, [...parameters, '--database', 'mysql://db/x'])
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain('--database must be sqlite:PATH or postgres://…')
})

test('exactly the commands that change data have --dry-run', async () => {
  const reads = [
    ...['audit', 'catalog-schema', 'events', 'explain-event', 'export-catalog', 'export-user', 'licenses'],
    ...[
      'openapi',
      'preview-rules',
      'priority-list',
      'receipts',
      'segments',
      'generate-secrets',
      'health',
      'reconcile',
      'token',
      'verify-draw',
      'verify-ledger',
      'verify-pictures',
      'verify-provenance',
      'verify-quests',
    ],
    // Write files of the repository.
    ...['build', 'docs', 'generate-migrations', 'problems'],
    // Runs servers.
    'dev',
    // Makes a link that nobody has until it is printed.
    'console-link',
  ]
  const folder = join(import.meta.dir, '../../../scripts')
  const commands = readdirSync(folder)
    .filter(
      name => name.endsWith('.ts') && readFileSync(join(folder, name), 'utf8').includes('declareCommand('),
    )
    .map(name => name.slice(0, -'.ts'.length))
  const dry: string[] = []
  for (const name of commands) {
    const { code, out } = await runScript(name, ['--help'], { ownProcess: true })
    expect({ name, code }).toEqual({ name, code: 0 })
    if (/^ +--dry-run /m.test(out)) dry.push(name)
  }
  expect(dry.length).toBeGreaterThan(0)
  expect(dry.toSorted()).toEqual(commands.filter(name => !reads.includes(name)).toSorted())
})

test.each(engines)(
  'every command refuses a database that `migrate` refuses, with a hint ($name)',
  async engine => {
    const made = await engine.open(createClock())
    const commands = [
      ['export-catalog', '--database', made.url ?? ''],
      ['move', '--from', made.url ?? '', '--to', 'sqlite:/nowhere/new.db'],
    ]
    const outcomes = async () => {
      const found: string[] = []
      for (const [name = '', ...parameters] of commands) {
        const { code, err } = await runScript(name, parameters)
        expect(code).toBe(1)
        found.push(err)
      }
      return found
    }
    await withRawConnection(made, async run => {
      await run('UPDATE __drizzle_migrations SET created_at = created_at + 99999999999999')
      for (const err of await outcomes()) {
        expect(err).toContain('ahead of this version of Matchday; run the newer version')
        expect(err).not.toContain('migrate`')
      }
      await run('UPDATE __drizzle_migrations SET created_at = created_at - 99999999999999')
      await run('UPDATE __drizzle_migrations SET created_at = created_at - 1')
      for (const err of await outcomes()) {
        expect(err).toContain('made by a development version from before 1.0.0')
        expect(err).not.toContain('migrate`')
      }
      await run('DELETE FROM __drizzle_migrations')
      for (const err of await outcomes())
        expect(err).toContain('The database is behind this version: run `bun run migrate` first.')
    })
    await made.remove()
  },
)

test('a command whose output is closed ends as with SIGPIPE, without a message', async () => {
  const { url, remove } = await sqliteEngine.open(createClock())
  const { command, cwd, PATH } = programOf('export-catalog', 'scripts/export-catalog.ts', testedExecutable)
  // The reader has ended before the command begins.
  const script = 'exec 3> >(exec true); wait $!; "$@" >&3'
  for (const { parameters, code } of [
    { parameters: [], code: 141 },
    { parameters: ['--help'], code: 0 },
  ]) {
    const child = Bun.spawn(['bash', '-c', script, '-', ...command, ...parameters], {
      cwd,
      stdout: 'ignore',
      stderr: 'pipe',
      env: { PATH, NODE_ENV: 'test', DATABASE_URL: url ?? '' },
    })
    expect(await new Response(child.stderr).text()).toBe('')
    expect(await child.exited).toBe(code)
  }
  await remove()
})

test('migrate --dry-run lists pending migrations, applies nothing and creates no file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-migrate-'))
  const path = join(folder, 'deep/new.db')
  const dry = async () => {
    const { code, out } = await runScript('migrate', ['--dry-run', '--json', '--database', `sqlite:${path}`])
    return { code, json: JSON.parse(out) }
  }
  const { code, json } = await dry()
  expect(code).toBe(0)
  expect(json.pending.length).toBeGreaterThan(0)
  expect(json).toMatchObject({ dryRun: true, changed: json.total })
  expect(readdirSync(folder)).toEqual([])

  const { out } = await runScript('migrate', ['--json', '--database', `sqlite:${path}`])
  expect(JSON.parse(out)).toMatchObject({ dryRun: false, applied: json.total, changed: json.total })
  expect((await dry()).json).toMatchObject({ pending: [], changed: 0 })
  rmSync(folder, { recursive: true })
})

test('a usage error of generate prints the usage without a stack trace or a local path', async () => {
  const help = await runScript('generate-migrations', ['--help'])
  expect(help).toMatchObject({ code: 0, err: '' })
  expect(help.out).toContain('bun run generate --custom NAME')
  for (const parameters of [['--chekc'], ['one', 'two'], ['--check', '--custom']]) {
    const { code, out, err } = await runScript('generate-migrations', parameters)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('Usage: bun run generate')
    expect(err).not.toMatch(/ at .*:\d+|\/scripts\//)
  }
})

test('a directory is not a database, and errors of the operating system are sentences', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-folder-'))
  for (const name of ['migrate', 'refund', 'verify-ledger']) {
    const { code, err } = await runScript(name, ['--database', `sqlite:${folder}`])
    expect({ code, err }).toEqual({ code: 1, err: `${folder} is a directory, not a database file.\n` })
  }
  rmSync(folder, { recursive: true })
  const messageOf = (read: () => unknown) => {
    try {
      return String(read())
    } catch (error) {
      return explainError(error)
    }
  }
  expect(messageOf(() => readFileSync(join(folder, 'gone')))).toBe(`${folder}/gone does not exist.`)
  expect(messageOf(() => readFileSync(import.meta.dir))).toEndWith('is a directory, not a file.')
})

test.skipIf(noServer !== '')(
  `the error for a missing database is a text of ours (PostgreSQL)${noServer}`,
  async () => {
    const url = new URL(process.env.TEST_POSTGRES_URL ?? '')
    url.pathname = '/nowhere'
    for (const parameters of [[], ['--dry-run']]) {
      const { code, err } = await runScript('migrate', [...parameters, '--database', url.href])
      expect(code).toBe(1)
      expect(err).toBe(
        'The database cannot be used: database unreachable: the server has no database of this name (SQLSTATE 3D000).\n',
      )
    }
  },
)

test('the first Ctrl-C finishes the batch, the second exits at once', async () => {
  const endless = `
    import { stoppable } from './scripts/command/stop.ts'
    await stoppable(() => {
      process.stdout.write('working')
      return new Promise(() => setInterval(() => {}, 1_000))
    })`
  const child = Bun.spawn([process.execPath, '-e', endless], {
    cwd: join(import.meta.dir, '../../..'),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [working, words] = [child.stdout.getReader(), child.stderr.getReader()]
  await working.read()
  child.kill('SIGINT')
  const { value } = await words.read()
  expect(new TextDecoder().decode(value)).toContain('Press Ctrl-C again to exit at once.')
  expect(child.exitCode).toBeNull()
  child.kill('SIGINT')
  expect(await child.exited).toBe(130)
})
