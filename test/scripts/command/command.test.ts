/** What every command says, and what it keeps to itself. */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { explainError, redact } from '../../../scripts/command/explain.ts'
import { createProgress, durationOf } from '../../../scripts/command/progress.ts'
import { createClock } from '../../support/clock.ts'
import { engines, sqliteEngine } from '../../support/engines.ts'
import { runScript } from '../run-script.ts'

test('passwords of URLs are never shown', () => {
  expect(redact('postgres://fan:s3cret@db:5432/x is down')).toBe('postgres://fan:***@db:5432/x is down')
  expect(redact('postgres://fan:p@ss:w@db/x')).toBe('postgres://fan:***@db/x')
  expect(redact('postgres://db/x?user=fan&password=s3cret&sslmode=require')).toBe(
    'postgres://db/x?user=fan&password=***&sslmode=require',
  )
  expect(redact('sqlite:data/matchday.db')).toBe('sqlite:data/matchday.db')
})

test.each(engines)('a refused statement is explained without its text and values ($name)', async engine => {
  const { db, remove } = await engine.open(createClock())
  const { teams } = db.tables
  const at = new Date(0)
  const team = { id: 'a', name: 'secret', shortName: 'A', active: true, createdAt: at, updatedAt: at }
  await db.write(tx => tx.insert(teams).values(team))
  const error = await db.write(tx => tx.insert(teams).values(team)).catch((thrown: unknown) => thrown)
  expect(explainError(error)).toMatch(/unique constraint/i)
  expect(explainError(error)).not.toMatch(/secret|insert into/)
  await remove()
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

test('progress is a plain line every five seconds elsewhere', () => {
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

test('durations are said as people say them', () => {
  expect([420, 12_000, 200_000, 7_500_000].map(durationOf)).toEqual([
    '0.4 s',
    '12 s',
    '3 min 20 s',
    '2 h 5 min',
  ])
})

test('--json leaves one document on standard output, also when the command fails', async () => {
  const database = `sqlite:${join(import.meta.dir, 'nowhere', 'none.db')}`
  const { code, out, err } = await runScript('refund', ['--json', '--database', database])
  expect(code).toBe(1)
  expect(JSON.parse(out).error).toContain('There is no database at')
  expect(err).toContain('bun run migrate')
})

test('a database that is not there is not made', async () => {
  const gone = await sqliteEngine.open(createClock())
  await gone.remove()
  const path = gone.url?.slice('sqlite:'.length) ?? ''
  const { code, err } = await runScript('refund', ['--database', `sqlite:${path}`])
  expect({ code, err }).toEqual({
    code: 1,
    err: `There is no database at ${path}; \`bun run migrate\` makes one.\n`,
  })
  expect(existsSync(path)).toBe(false)
})

test('a wrong call leaves with 2, says what is wrong, and shows no password', async () => {
  const { code, out, err } = await runScript('migrate', ['--databse=postgres://fan:s3cret@db/x'])
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain('unknown option')
  expect(err).toContain('bun run migrate --database sqlite:data/other.db')
  expect(err).not.toContain('s3cret')
})

test('--database is judged like DATABASE_URL', async () => {
  const { code, err } = await runScript('migrate', ['--database', 'mysql://db/x'])
  expect(code).toBe(2)
  expect(err).toContain('--database must be sqlite:PATH or postgres://…')
})

test('a second Ctrl-C leaves at once, while the first lets the batch finish', async () => {
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
  expect(new TextDecoder().decode(value)).toContain('Press Ctrl-C again to leave at once.')
  expect(child.exitCode).toBeNull()
  child.kill('SIGINT')
  expect(await child.exited).toBe(130)
})
