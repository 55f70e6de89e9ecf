/** `bun run backup` and `bun run restore` as commands. */

import { Database as Connection } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { openDatabase } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { seedDatabase } from '../../scripts/seed/seed.ts'
import { createSpine } from '../../src/app/spine.ts'
import { upsertProfile } from '../../src/fan/profile/profile.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { findTokenValidity } from '../../src/identity/users/user-token-validity.ts'
import { insertTeam } from '../db/probe.ts'
import { createClock } from '../support/clock.ts'
import { dump } from '../support/dump.ts'
import { startApi } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'
import { writerOf } from '../support/writer.ts'
import { runScript, startScript } from './run-script.ts'
import { options } from './seed/sixty-fans.ts'

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
 * A closed connection of this process may keep its lock until it is garbage-collected. Scripts therefore replace copies
 * that this process has never opened.
 */
let scratches = 0
const scratch = () => `scratch-${++scratches}.db`

/** By the number of fans: a database is seeded once, and tests get copies. */
const templates = new Map<number, Promise<{ path: string; rows: string[] }>>()
let templateFolder: string
beforeAll(() => {
  templateFolder = mkdtempSync(join(tmpdir(), 'matchday-backup-template-'))
})
afterAll(() => rmSync(templateFolder, { recursive: true }))

async function makeTemplate(fans: number) {
  const path = join(templateFolder, `${fans}.db`)
  await migrate(`sqlite:${path}`)
  const db = openDatabase(`sqlite:${path}`, createClock(), { spine: createSpine() })
  await seedDatabase(db, { ...options, seed: 1, fans })
  const rows = await dump(db)
  await db.close()
  return { path, rows }
}

/** Creates a database with a catalogue and fans, and returns its rows. */
async function seeded(name: string, fans = 20): Promise<string[]> {
  const made = templates.get(fans) ?? makeTemplate(fans)
  templates.set(fans, made)
  const { path, rows } = await made
  copyFileSync(path, pathOf(name))
  return rows
}

/** Creates a database with committed rows in the WAL of a killed process. */
async function rowsOf(name: string): Promise<string[]> {
  const copy = scratch()
  copyFileSync(pathOf(name), pathOf(copy))
  if (existsSync(pathOf(`${name}-wal`))) copyFileSync(pathOf(`${name}-wal`), pathOf(`${copy}-wal`))
  const db = openDatabase(urlOf(copy), createClock())
  const rows = await dump(db)
  await db.close()
  return rows
}

test('a backup during writes is a consistent snapshot, and restoring it gives the same rows', async () => {
  await migrate(urlOf('live.db'))
  const writer = startScript('../test/scripts/steady-writer', [], { env: { DATABASE_URL: urlOf('live.db') } })
  const lines = writer.stdout.getReader()
  await lines.read()
  const { code, out } = await run('backup', 'live.db', pathOf('copy.db'), '--json')
  expect(code).toBe(0)
  // The writer was active during the backup and still is.
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

test('a backup replaces a file only with --force, and leaves no partial file', async () => {
  const rows = await seeded('live.db')
  writeFileSync(pathOf('copy.db'), 'precious')
  const refused = await run('backup', 'live.db', pathOf('copy.db'))
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain('already exists')
  expect(await Bun.file(pathOf('copy.db')).text()).toBe('precious')

  // The leftover of a killed run.
  writeFileSync(pathOf('copy.db.partial'), 'half')
  expect((await run('backup', 'live.db', pathOf('copy.db'), '--force')).code).toBe(0)
  expect(await rowsOf('copy.db')).toEqual(rows)
  expect(readdirSync(folder).filter(name => name.includes('partial'))).toEqual([])
  expect((await run('backup', 'live.db', pathOf('live.db'))).code).toBe(2)
})

const modeOf = (name: string) => (statSync(pathOf(name)).mode & 0o777).toString(8)

test('a database, its WAL and its backups are only accessible to their owner, with any umask', async () => {
  const umask = process.umask(0)
  try {
    await seeded('live.db')
    await migrate(urlOf('open.db'))
    const db = openDatabase(urlOf('open.db'), createClock())
    await db.write(tx => insertTeam(tx, 'harbour-city'))
    expect(['open.db', 'open.db-wal', 'open.db-shm'].map(modeOf)).toEqual(['600', '600', '600'])
    await db.close()
    chmodSync(pathOf('live.db'), 0o644)
    expect((await run('backup', 'live.db', pathOf('copy.db'))).code).toBe(0)
    expect((await run('restore', 'new.db', pathOf('copy.db'))).code).toBe(0)
    expect(['copy.db', 'new.db'].map(modeOf)).toEqual(['600', '600'])
  } finally {
    process.umask(umask)
  }
})

test('a restored database has the mode of the replaced one, not of the backup', async () => {
  await seeded('live.db')
  await seeded('backup.db')
  for (const mode of [0o600, 0o640]) {
    chmodSync(pathOf('live.db'), mode)
    chmodSync(pathOf('backup.db'), 0o644)
    expect((await run('restore', 'live.db', pathOf('backup.db'), '--force')).code).toBe(0)
    expect(modeOf('live.db')).toBe(mode.toString(8))
  }
})

/** Files that a backup could have left. */
const leftovers = () => readdirSync(folder).filter(name => /^(copy|deep)/.test(name))

test('a backup on a full disk leaves no files and no directories', async () => {
  await seeded('live.db')
  // In blocks of 1 KiB, less than the database. With the signal ignored, a write fails as on a full disk.
  const command = `trap '' XFSZ; ulimit -f 64; exec '${process.execPath}' scripts/backup.ts '${pathOf('deep/er/copy.db')}'`
  const child = Bun.spawn(['bash', '-c', command], {
    cwd: join(import.meta.dir, '../..'),
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'test', DATABASE_URL: urlOf('live.db') },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [code, err] = [await child.exited, await new Response(child.stderr).text()]
  expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^The database cannot be used: /) })
  expect(leftovers()).toEqual([])
})

test('a backup removes the leftovers of a killed run with the same name', async () => {
  const rows = await seeded('live.db')
  // The copy waits for its lock, for five seconds.
  const holder = new Connection(pathOf('live.db'))
  holder.run('PRAGMA locking_mode = EXCLUSIVE')
  holder.run('BEGIN EXCLUSIVE')
  const child = startScript('backup', [pathOf('copy.db')], { env: { DATABASE_URL: urlOf('live.db') } })
  await waitUntil('the copy has begun', () => existsSync(pathOf('copy.db.partial')))
  child.kill('SIGKILL')
  await child.exited
  holder.run('ROLLBACK')
  holder.close(true)
  expect(leftovers()).toContain('copy.db.partial')
  // Half a copy, and files that SQLite may create next to it.
  for (const suffix of ['', '-journal', '-wal', '-shm'])
    writeFileSync(pathOf(`copy.db.partial${suffix}`), 'half')
  expect((await run('backup', 'live.db', pathOf('copy.db'))).code).toBe(0)
  expect(leftovers()).toEqual(['copy.db'])
  expect(await rowsOf('copy.db')).toEqual(rows)
})

test('a dry run of a backup shows what it would write, and writes nothing', async () => {
  await seeded('live.db')
  // Garbage collection of a closed connection deletes the WAL of its scratch file.
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

test('a directory is rejected as a backup file', async () => {
  await seeded('live.db')
  mkdirSync(pathOf('folder'))
  for (const file of [pathOf('folder'), pathOf('absent/')]) {
    const { code, err } = await run('backup', 'live.db', file, '--force')
    expect({ code, err }).toEqual({
      code: 1,
      err: `${file} is a directory: name the file of the copy.\n`,
    })
  }
  const { code, err } = await run('restore', 'live.db', pathOf('folder'), '--force')
  expect(code).toBe(1)
  expect(err).toContain('is a directory')
})

/** Tampers with a balance, as anyone with the file can. */
function forge(name: string) {
  const connection = new Connection(pathOf(name))
  connection.run('DROP TRIGGER points_entries_refuse_update')
  connection.run(
    'UPDATE points_entries SET delta = delta + 1, balance_after = balance_after + 1 WHERE seq = 1',
  )
  connection.run('UPDATE points_accounts SET balance = balance + 1, lifetime = lifetime + 1 WHERE seq > 0')
  connection.close()
}

test('a backup of a tampered ledger fails and leaves no file', async () => {
  await seeded('live.db')
  expect((await run('backup', 'live.db', pathOf('sound.db'))).out).toMatch(
    /verified\.\nLedger digest [0-9a-f]{64}\n/,
  )
  forge('live.db')
  const { code, out, err } = await run('backup', 'live.db', pathOf('copy.db'))
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(/is inconsistent: fan [0-9a-f-]+, entry 1: points_entries.hash is /)
  expect(leftovers()).toEqual([])
  // Nor does it leave new directories.
  expect((await run('backup', 'live.db', pathOf('deep/er/copy.db'))).code).toBe(1)
  expect(leftovers()).toEqual([])
})

test('verifying a backup does not modify it', async () => {
  await seeded('backup.db')
  const before = await Bun.file(pathOf('backup.db')).bytes()
  const { code, out } = await run('restore', 'live.db', pathOf('backup.db'), '--json')
  expect(code).toBe(0)
  expect(JSON.parse(out).ledgerDigest).toMatch(/^[0-9a-f]{64}$/)
  expect(await Bun.file(pathOf('backup.db')).bytes()).toEqual(before)
})

test('a restore keeps the replaced database under another name, which it prints', async () => {
  const old = await seeded('live.db')
  const fresh = await seeded('backup.db', 30)
  const refused = await run('restore', 'live.db', pathOf('backup.db'))
  expect(refused.code).toBe(1)
  expect(refused.err).toContain(`has ${old.length} rows`)
  expect(await rowsOf('live.db')).toEqual(old)

  const dry = await run('restore', 'live.db', pathOf('backup.db'), '--force', '--dry-run')
  expect(dry).toMatchObject({ code: 0, err: '' })
  expect(dry.out).toContain('Nothing was changed')
  expect(await rowsOf('live.db')).toEqual(old)

  // As an operator: the database is whole after the end of its process.
  const { code, out } = await runScript('restore', [pathOf('backup.db'), '--force', '--json'], {
    env: { DATABASE_URL: urlOf('live.db') },
    ownProcess: true,
  })
  expect(code).toBe(0)
  const { keptAt, migrationsMissing } = JSON.parse(out)
  expect(migrationsMissing).toBe(0)
  expect(await rowsOf('live.db')).toEqual(fresh)
  expect(await rowsOf(basename(keptAt))).toEqual(old)
})

test('a restore over a database without data does not need --force', async () => {
  const rows = await seeded('backup.db')
  await migrate(urlOf('live.db'))
  expect((await run('restore', 'live.db', pathOf('backup.db'))).code).toBe(0)
  expect(await rowsOf('live.db')).toEqual(rows)
})

test('a restore fails while the API has the database open, even if idle', async () => {
  const rows = await seeded('live.db')
  const fresh = await seeded('backup.db', 30)
  // The seed has events that are older than the default period.
  const api = await startApi({ DATABASE_URL: urlOf('live.db'), EVENT_RETENTION_DAYS: '36500' })
  const refused = await run('restore', 'live.db', pathOf('backup.db'), '--force')
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain('is in use: stop the API')
  expect(await api.stop()).toBe(0)
  // Tables that no task of the API changes.
  const ofFans = (all: string[]) =>
    all.filter(row => /^\["(users|identities|userRewards|userItems|predictions|checkIns|rewards)"/.test(row))
  expect(ofFans(rows).length).toBeGreaterThan(100)
  expect(ofFans(await rowsOf('live.db'))).toEqual(ofFans(rows))
  expect(readdirSync(folder).filter(name => /incoming|before/.test(name))).toEqual([])

  expect((await run('restore', 'live.db', pathOf('backup.db'), '--force')).code).toBe(0)
  expect(await rowsOf('live.db')).toEqual(fresh)
})

test('a damaged, foreign or newer backup is not restored', async () => {
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

  await seeded('development.db')
  const development = new Connection(pathOf('development.db'))
  development.run('UPDATE __drizzle_migrations SET created_at = created_at - 1')
  development.close()

  for (const [name, why] of [
    ['newer.db', 'cannot be restored: the database is 1 migration ahead of this version'],
    ['development.db', 'cannot be restored: the database was made by a development version'],
    ['torn.db', 'refers to no row of teams'],
    ['text.db', 'is not an intact SQLite database'],
    ['forged.db', 'is inconsistent: fan '],
    ['foreign.db', 'is not a database of Matchday'],
    ['absent.db', 'There is no file'],
  ] as const) {
    const { code, err } = await run('restore', 'live.db', pathOf(name), '--force')
    expect({ name, code }).toEqual({ name, code: 1 })
    expect(err).toContain(why)
  }
  expect(await rowsOf('live.db')).toEqual(rows)
})

test('an unreadable database is replaced with --force', async () => {
  const rows = await seeded('backup.db')
  writeFileSync(pathOf('live.db'), 'ruins'.repeat(1_000))
  const refused = await run('restore', 'live.db', pathOf('backup.db'))
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('is unreadable')
  expect((await run('restore', 'live.db', pathOf('backup.db'), '--force')).code).toBe(0)
  expect(await rowsOf('live.db')).toEqual(rows)
})

test('for PostgreSQL, the commands name its own tools', async () => {
  const env = { DATABASE_URL: 'postgres://fan:s3cret@127.0.0.1:1/x' }
  const backup = await runScript('backup', [pathOf('copy.db')], { env })
  expect(backup.code).toBe(2)
  expect(backup.err).toContain('pg_dump --format=custom')
  const restore = await runScript('restore', [pathOf('copy.db')], { env })
  expect(restore.code).toBe(2)
  expect(restore.err).toContain('pg_restore --clean --if-exists')
  expect(existsSync(pathOf('copy.db'))).toBe(false)
})

const provider = 'mock-idp'
const personal = ['Wilhelmina', 'wilhelmina_1']

/** A database with two fans, the first of which is erased later. */
async function withFans(name: string) {
  const made = scratch()
  await migrate(urlOf(made))
  const db = openDatabase(urlOf(made), createClock(), { spine: createSpine() })
  const ids = []
  for (const [subject, displayName, handle] of [
    ['sub-wilhelmina', 'Wilhelmina', 'wilhelmina_1'],
    ['sub-other', 'Other', 'other_1'],
  ] as const) {
    await db.write(async tx =>
      upsertProfile(tx, await writerOf(tx, { provider, subject }), { displayName, handle }),
    )
    const { user } = await db.write(tx => ensureUser(tx, { provider, subject }))
    ids.push(user.id)
  }
  await db.close()
  copyFileSync(pathOf(made), pathOf(name))
  return { erased: ids[0] ?? '', other: ids[1] ?? '' }
}

const eraseIn = (database: string, ...parameters: string[]) =>
  runScript('erase-user', [...parameters, '--json'], { env: { DATABASE_URL: urlOf(database) } })

/** The rows of a database as one text, and the bytes of its files. */
const textOf = async (name: string) => (await rowsOf(name)).join('\n')
const bytesOf = (name: string) =>
  ['', '-wal', '-shm']
    .filter(suffix => existsSync(pathOf(name + suffix)))
    .map(suffix => readFileSync(pathOf(name + suffix), 'latin1'))
    .join('')

test('restoring a backup from before an erasure does not restore the fan', async () => {
  const { erased } = await withFans('live.db')
  expect((await run('backup', 'live.db', pathOf('monday.db'))).code).toBe(0)
  expect((await eraseIn('live.db', erased, '--yes')).code).toBe(0)
  expect(modeOf('live.db.erasures')).toBe('600')
  const list = readFileSync(pathOf('live.db.erasures'), 'utf8')
  for (const word of [...personal, 'sub-wilhelmina', erased]) expect(list).not.toContain(word)

  expect((await run('restore', 'live.db', pathOf('monday.db'), '--force', '--dry-run')).out).toContain(
    '1 erasures are listed',
  )
  const { code, out } = await run('restore', 'live.db', pathOf('monday.db'), '--force', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(out).erasures).toEqual({ listed: 1, erased: 1, tombstones: 0 })
  const text = await textOf('live.db')
  expect(text).toContain('Other')
  for (const word of [...personal, 'sub-wilhelmina']) {
    expect(text).not.toContain(word)
    expect(bytesOf('live.db')).not.toContain(word)
  }
  // A second restore has nothing left to erase.
  const again = await run('restore', 'live.db', pathOf('monday.db'), '--force', '--json')
  expect(JSON.parse(again.out).erasures).toEqual({ listed: 1, erased: 1, tombstones: 0 })
})

test('a restore also applies erasures that are only in the replaced database', async () => {
  const { erased } = await withFans('live.db')
  expect((await run('backup', 'live.db', pathOf('monday.db'))).code).toBe(0)
  expect((await eraseIn('live.db', erased, '--yes')).code).toBe(0)
  rmSync(pathOf('live.db.erasures'))
  const { out } = await run('restore', 'live.db', pathOf('monday.db'), '--force', '--json')
  expect(JSON.parse(out).erasures).toMatchObject({ listed: 1, erased: 1 })
  expect(await textOf('live.db')).not.toContain('Wilhelmina')
})

test('a backup adds missing erasures to the list', async () => {
  const { erased } = await withFans('live.db')
  expect((await eraseIn('live.db', erased, '--yes')).code).toBe(0)
  const list = readFileSync(pathOf('live.db.erasures'), 'utf8').trim()
  rmSync(pathOf('live.db.erasures'))
  expect((await run('backup', 'live.db', pathOf('tuesday.db'))).code).toBe(0)
  expect(readFileSync(pathOf('live.db.erasures'), 'utf8').trim()).toBe(list)
})

test('--erasures applies a list on another machine, also for fans that are not in the backup', async () => {
  await migrate(urlOf(scratch()))
  const { erased, other } = await withFans('live.db')
  expect((await run('backup', 'live.db', pathOf('monday.db'))).code).toBe(0)
  for (const id of [erased, other]) expect((await eraseIn('live.db', id, '--yes')).code).toBe(0)
  const unlisted = await run('restore', 'fresh.db', pathOf('monday.db'))
  expect(unlisted.out).toContain('No erasures are listed at ')
  expect(await textOf('fresh.db')).toContain('Wilhelmina')

  // A truncated line is reported and skipped.
  const list = readFileSync(pathOf('live.db.erasures'), 'utf8')
  writeFileSync(pathOf('moved.ndjson'), `{"provider":"mock-i\n${list}`)
  const parameters = [pathOf('monday.db'), '--erasures', pathOf('moved.ndjson'), '--force', '--json']
  const { code, out, err } = await run('restore', 'fresh.db', ...parameters)
  expect(code).toBe(0)
  expect(err).toContain('unreadable lines: 1')
  expect(JSON.parse(out).erasures).toEqual({ listed: 2, erased: 2, tombstones: 0 })
  expect(await textOf('fresh.db')).not.toContain('Wilhelmina')
  // The list of the new database has them from now on.
  expect(readFileSync(pathOf('fresh.db.erasures'), 'utf8').trim().split(/\n+/)).toHaveLength(2)

  await migrate(urlOf('empty.db'))
  expect((await run('backup', 'empty.db', pathOf('empty-backup.db'))).code).toBe(0)
  const absentFans = await run(
    'restore',
    'empty2.db',
    ...[pathOf('empty-backup.db'), '--erasures', pathOf('live.db.erasures'), '--json'],
  )
  expect(JSON.parse(absentFans.out).erasures).toEqual({ listed: 2, erased: 0, tombstones: 2 })
  const db = openDatabase(urlOf('empty2.db'), createClock())
  expect(await findTokenValidity(db.read, { provider, subject: 'sub-wilhelmina' })).toMatchObject({
    erased: true,
  })
  await db.close()
  expect((await run('restore', 'x.db', pathOf('monday.db'), '--erasures', pathOf('none'))).code).toBe(1)
})

test('with ERASURE_LIST the list on another disk is completed and applied, and no other database adds to it', async () => {
  const { erased, other } = await withFans('live.db')
  const list = pathOf('disk/erasures')
  mkdirSync(pathOf('disk'))
  const runListed = (script: string, database: string, ...parameters: string[]) =>
    runScript(script, parameters, { env: { DATABASE_URL: urlOf(database), ERASURE_LIST: list } })
  expect((await runListed('backup', 'live.db', pathOf('monday.db'))).code).toBe(0)
  expect((await runListed('erase-user', 'live.db', erased, '--yes')).code).toBe(0)
  expect(existsSync(pathOf('live.db.erasures'))).toBe(false)
  expect(readFileSync(list, 'utf8').trim().split(/\n+/)).toHaveLength(1)
  copyFileSync(pathOf('monday.db'), pathOf('copy.db'))
  const elsewhere = await runListed('erase-user', 'live.db', other, '--yes', '--database', urlOf('copy.db'))
  expect(elsewhere.out).toContain(`Listed in ${pathOf('copy.db')}.erasures`)

  // The machine is lost, and its list is not.
  const { out } = await runListed('restore', 'new.db', pathOf('monday.db'), '--json')
  expect(JSON.parse(out).erasures).toEqual({ listed: 1, erased: 1, tombstones: 0 })
  rmSync(list)
  expect((await runListed('backup', 'new.db', pathOf('tuesday.db'))).code).toBe(0)
  expect(readFileSync(list, 'utf8').trim().split(/\n+/)).toHaveLength(1)
})
