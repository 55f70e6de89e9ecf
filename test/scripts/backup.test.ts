/** `bun run backup` and `bun run restore`, run as an operator runs them. */

import { Database as Connection } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { openDatabase } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { seedDatabase } from '../../scripts/seed/seed.ts'
import { createClock } from '../support/clock.ts'
import { dump } from '../support/dump.ts'
import { startApi } from '../support/processes.ts'
import { runScript, startScript } from './run-script.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-backup-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const pathOf = (name: string) => join(folder, name)
const urlOf = (name: string) => `sqlite:${pathOf(name)}`
const run = (script: 'backup' | 'restore', database: string, ...parameters: string[]) =>
  runScript(script, parameters, { env: { DATABASE_URL: urlOf(database) } })

/**
 * A closed connection of this process may keep its lock until it is collected: what a script is to replace is a copy
 * that this process has never opened.
 */
let scratches = 0
const scratch = () => `scratch-${++scratches}.db`

/** A database with a catalogue and fans; answers its rows. */
async function seeded(name: string, fans = 20): Promise<string[]> {
  const made = scratch()
  await migrate(urlOf(made))
  const db = openDatabase(urlOf(made), createClock())
  const provider = { name: 'mock-idp', issuer: 'http://localhost:4000' }
  await seedDatabase(db, { seed: 1, fans, provider, onboardingPoints: 100 })
  const rows = await dump(db)
  await db.close()
  copyFileSync(pathOf(made), pathOf(name))
  return rows
}

/** With what a killed process left in its WAL. */
async function rowsOf(name: string): Promise<string[]> {
  const copy = scratch()
  copyFileSync(pathOf(name), pathOf(copy))
  if (existsSync(pathOf(`${name}-wal`))) copyFileSync(pathOf(`${name}-wal`), pathOf(`${copy}-wal`))
  const db = openDatabase(urlOf(copy), createClock())
  const rows = await dump(db)
  await db.close()
  return rows
}

test('a copy made while another process writes is one instant of it, and comes back as that', async () => {
  await migrate(urlOf('live.db'))
  const writer = startScript('../test/scripts/steady-writer', [], { env: { DATABASE_URL: urlOf('live.db') } })
  const lines = writer.stdout.getReader()
  await lines.read()
  const { code, out } = await run('backup', 'live.db', pathOf('copy.db'), '--json')
  expect(code).toBe(0)
  // It went on writing all the while, and still does.
  await lines.read()
  writer.kill('SIGKILL')
  await writer.exited

  const copied = await rowsOf('copy.db')
  expect(JSON.parse(out)).toMatchObject({ rows: copied.length })
  const idsOf = (table: string) =>
    copied.flatMap(row => {
      const [name, id] = JSON.parse(row)
      return name === table ? [id] : []
    })
  expect(idsOf('teams').length).toBeGreaterThan(0)
  expect(idsOf('rewards')).toEqual(idsOf('teams'))
  expect(copied.length).toBeLessThan((await rowsOf('live.db')).length)

  expect((await run('restore', 'other.db', pathOf('copy.db'))).code).toBe(0)
  expect(await rowsOf('other.db')).toEqual(copied)
})

test('a backup replaces no file unless told to, and leaves nothing half-done', async () => {
  const rows = await seeded('live.db')
  writeFileSync(pathOf('copy.db'), 'precious')
  const refused = await run('backup', 'live.db', pathOf('copy.db'))
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain('is there already')
  expect(await Bun.file(pathOf('copy.db')).text()).toBe('precious')

  // What a run that was killed left behind.
  writeFileSync(pathOf('copy.db.partial'), 'half')
  expect((await run('backup', 'live.db', pathOf('copy.db'), '--force')).code).toBe(0)
  expect(await rowsOf('copy.db')).toEqual(rows)
  expect(readdirSync(folder).filter(name => name.includes('partial'))).toEqual([])
  expect((await run('backup', 'live.db', pathOf('live.db'))).code).toBe(2)
})

const modeOf = (name: string) => (statSync(pathOf(name)).mode & 0o777).toString(8)

test('a copy is never more readable than what it was made from, nor than what it replaces', async () => {
  await seeded('live.db')
  for (const [mode, name] of [
    [0o600, 'private.db'],
    [0o640, 'shared.db'],
  ] as const) {
    chmodSync(pathOf('live.db'), mode)
    expect((await run('backup', 'live.db', pathOf(name))).code).toBe(0)
    expect(modeOf(name)).toBe(mode.toString(8))
  }

  expect((await run('restore', 'new.db', pathOf('private.db'))).code).toBe(0)
  expect(modeOf('new.db')).toBe('600')
  chmodSync(pathOf('shared.db'), 0o644)
  chmodSync(pathOf('new.db'), 0o600)
  expect((await run('restore', 'new.db', pathOf('shared.db'), '--force')).code).toBe(0)
  expect(modeOf('new.db')).toBe('600')
})

test('a dry run of a backup says what it would write, and writes nothing', async () => {
  await seeded('live.db')
  // A closed connection takes the WAL of its scratch file along when it is collected.
  const filesOf = () => readdirSync(folder).filter(name => !name.startsWith('scratch-'))
  const before = filesOf()
  const target = pathOf('deep/copy.db')
  const { code, out } = await run('backup', 'live.db', target, '--dry-run')
  expect(code).toBe(0)
  expect(out).toStartWith(`Would write ${target}: a copy of ${pathOf('live.db')}, which has `)
  expect(out).toEndWith('Nothing was written (--dry-run).\n')
  expect(filesOf()).toEqual(before)
  expect((await run('backup', 'live.db', pathOf('live.db'), '--dry-run')).code).toBe(2)
})

test('a folder is neither a place for a copy nor a backup', async () => {
  await seeded('live.db')
  mkdirSync(pathOf('folder'))
  for (const file of [pathOf('folder'), pathOf('absent/')]) {
    const { code, err } = await run('backup', 'live.db', file, '--force')
    expect({ code, err }).toEqual({
      code: 1,
      err: `${file} is a folder: name the file that the copy goes to.\n`,
    })
  }
  const { code, err } = await run('restore', 'live.db', pathOf('folder'), '--force')
  expect(code).toBe(1)
  expect(err).toContain('is a folder')
})

/** Makes a fan richer, as whoever has the file can. */
function forge(name: string) {
  const connection = new Connection(pathOf(name))
  connection.run('DROP TRIGGER points_entries_refuse_update')
  connection.run(
    'UPDATE points_entries SET delta = delta + 1, balance_after = balance_after + 1 WHERE seq = 1',
  )
  connection.run('UPDATE points_accounts SET balance = balance + 1, lifetime = lifetime + 1 WHERE seq > 0')
  connection.close()
}

test('a backup of a ledger that was tampered with is refused, and takes no name', async () => {
  await seeded('live.db')
  expect((await run('backup', 'live.db', pathOf('sound.db'))).out).toMatch(
    /verified\.\nLedger digest [0-9a-f]{64}\n/,
  )
  forge('live.db')
  const { code, out, err } = await run('backup', 'live.db', pathOf('copy.db'))
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(/contradicts itself: fan [0-9a-f-]+, entry 1: points_entries.hash is /)
  expect(readdirSync(folder).filter(name => name.startsWith('copy'))).toEqual([])
})

test('a look at a backup changes no byte of it; of an older schema only the file is checked', async () => {
  await seeded('backup.db')
  const before = await Bun.file(pathOf('backup.db')).bytes()
  const { code, out } = await run('restore', 'live.db', pathOf('backup.db'), '--json')
  expect(code).toBe(0)
  expect(JSON.parse(out).ledgerDigest).toMatch(/^[0-9a-f]{64}$/)
  expect(await Bun.file(pathOf('backup.db')).bytes()).toEqual(before)

  const older = new Connection(pathOf('backup.db'))
  older.run(
    'DELETE FROM __drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM __drizzle_migrations)',
  )
  older.close()
  const behind = await run('restore', 'other.db', pathOf('backup.db'), '--json')
  expect(JSON.parse(behind.out)).toMatchObject({ migrationsMissing: 1, ledgerDigest: null })
})

test('a restore keeps what was there beside it, and says so', async () => {
  const old = await seeded('live.db')
  const fresh = await seeded('backup.db', 30)
  const refused = await run('restore', 'live.db', pathOf('backup.db'))
  expect(refused.code).toBe(1)
  expect(refused.err).toContain(`holds ${old.length} rows`)
  expect(await rowsOf('live.db')).toEqual(old)

  const dry = await run('restore', 'live.db', pathOf('backup.db'), '--force', '--dry-run')
  expect(dry).toMatchObject({ code: 0, err: '' })
  expect(dry.out).toContain('Nothing was changed')
  expect(await rowsOf('live.db')).toEqual(old)

  const { code, out } = await run('restore', 'live.db', pathOf('backup.db'), '--force', '--json')
  expect(code).toBe(0)
  const { keptAt, migrationsMissing } = JSON.parse(out)
  expect(migrationsMissing).toBe(0)
  expect(await rowsOf('live.db')).toEqual(fresh)
  expect(await rowsOf(basename(keptAt))).toEqual(old)
})

test('a restore needs no force over a database without data', async () => {
  const rows = await seeded('backup.db')
  await migrate(urlOf('live.db'))
  expect((await run('restore', 'live.db', pathOf('backup.db'))).code).toBe(0)
  expect(await rowsOf('live.db')).toEqual(rows)
})

test('a restore refuses while the API has the database open, though it be idle', async () => {
  const rows = await seeded('live.db')
  const fresh = await seeded('backup.db', 30)
  const api = await startApi({ DATABASE_URL: urlOf('live.db') })
  const refused = await run('restore', 'live.db', pathOf('backup.db'), '--force')
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain('is in use: stop the API')
  expect(await api.stop()).toBe(0)
  expect(await rowsOf('live.db')).toEqual(rows)
  expect(readdirSync(folder).filter(name => /incoming|before/.test(name))).toEqual([])

  expect((await run('restore', 'live.db', pathOf('backup.db'), '--force')).code).toBe(0)
  expect(await rowsOf('live.db')).toEqual(fresh)
})

test('what is damaged, foreign or newer is not restored', async () => {
  const rows = await seeded('live.db')
  await seeded('newer.db')
  const newer = new Connection(pathOf('newer.db'))
  newer.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('later', 9999999999999)")
  newer.close()
  await seeded('torn.db')
  const torn = new Connection(pathOf('torn.db'))
  torn.run('PRAGMA foreign_keys = OFF')
  torn.run('DELETE FROM teams')
  torn.close()
  writeFileSync(pathOf('text.db'), 'no database'.repeat(1_000))
  await seeded('forged.db')
  forge('forged.db')
  new Connection(pathOf('foreign.db')).run('CREATE TABLE notes (id integer)')

  for (const [name, why] of [
    ['newer.db', 'is ahead of this version of Matchday by 1'],
    ['torn.db', 'refers to no row of teams'],
    ['text.db', 'is no sound SQLite database'],
    ['forged.db', 'holds a ledger that contradicts itself: fan '],
    ['foreign.db', 'is no database of Matchday'],
    ['absent.db', 'There is no file'],
  ] as const) {
    const { code, err } = await run('restore', 'live.db', pathOf(name), '--force')
    expect({ name, code }).toEqual({ name, code: 1 })
    expect(err).toContain(why)
  }
  expect(await rowsOf('live.db')).toEqual(rows)
})

test('a database that cannot be read any more is replaced when told to', async () => {
  const rows = await seeded('backup.db')
  writeFileSync(pathOf('live.db'), 'ruins'.repeat(1_000))
  const refused = await run('restore', 'live.db', pathOf('backup.db'))
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('cannot be read')
  expect((await run('restore', 'live.db', pathOf('backup.db'), '--force')).code).toBe(0)
  expect(await rowsOf('live.db')).toEqual(rows)
})

test('PostgreSQL is pointed to its own tools', async () => {
  const env = { DATABASE_URL: 'postgres://fan:s3cret@127.0.0.1:1/x' }
  const backup = await runScript('backup', [pathOf('copy.db')], { env })
  expect(backup.code).toBe(2)
  expect(backup.err).toContain('pg_dump --format=custom')
  const restore = await runScript('restore', [pathOf('copy.db')], { env })
  expect(restore.code).toBe(2)
  expect(restore.err).toContain('pg_restore --clean --if-exists')
  expect(existsSync(pathOf('copy.db'))).toBe(false)
})
