/** Which commits the reads of one turn of the event loop see, on SQLite. */
import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { openDatabase, type Transaction } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { createClock } from '../support/clock.ts'
import { commandOf } from '../support/executable.ts'
import { insertTeam } from './probe.ts'

const folder = mkdtempSync(join(tmpdir(), 'matchday-snapshot-'))
afterAll(() => rmSync(folder, { recursive: true }))

const INSERT =
  'INSERT INTO teams (id, name, short_name, active, created_at, updated_at) VALUES (?1, ?1, ?1, 1, 0, 0)'
/** Calls from outside of any unit of work, like another request. */
const byAnother = AsyncLocalStorage.snapshot()
const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

async function open(name: string) {
  const path = join(folder, name)
  await migrate(`sqlite:${path}`)
  const db = openDatabase(`sqlite:${path}`, createClock())
  const teams = async () =>
    (await db.read.select({ id: db.tables.teams.id }).from(db.tables.teams)).map(({ id }) => id).toSorted()
  // The first execution of a statement is outside the shared transaction.
  await teams()
  return { path, db, teams }
}

/** Commits in another program, which does not count its commits. */
function insertElsewhere(path: string, id: string) {
  const connection = new Database(path)
  connection.query(INSERT).run(id)
  connection.close(true)
}

describe('the reads of one turn (SQLite)', () => {
  test('that come after the close are refused, and nothing is thrown at the end of the turn', async () => {
    const { db, teams } = await open('closed.db')
    await nextTurn()
    await db.close()
    expect(await teams().catch(error => error)).toBeInstanceOf(Error)
    await nextTurn()
    await nextTurn()
  })

  test('share a transaction, which ends with the turn', async () => {
    const { path, db, teams } = await open('shared.db')
    await nextTurn()
    expect(await teams()).toEqual([])
    insertElsewhere(path, 'harbour-city')
    expect(await teams()).toEqual([])
    await nextTurn()
    expect(await teams()).toEqual(['harbour-city'])
    await db.close()
  })

  test('see each commit of another process of Matchday', async () => {
    const { path, db, teams } = await open('processes.db')
    await nextTurn()
    expect(await teams()).toEqual([])
    const before = db.externalCommits()
    const child = Bun.spawnSync([...commandOf('test/db/commit-process.ts'), path, 'rovers'])
    expect(child.stderr.toString()).toBe('')
    expect(await teams()).toEqual(['rovers'])
    expect(db.externalCommits()).not.toBe(before)
    await db.close()
  })

  test('see each commit of this process, which does not count as external', async () => {
    const { db, teams } = await open('own.db')
    const before = db.externalCommits()
    const seen: string[][] = []
    await db.write(async tx => {
      tx.afterCommit(() => void teams().then(ids => seen.push(ids)))
      seen.push(await byAnother(teams))
      await insertTeam(tx, 'united')
      seen.push(await byAnother(teams))
    })
    expect(await teams()).toEqual(['united'])
    expect(seen).toEqual([[], [], ['united']])
    expect(db.externalCommits()).toBe(before)
    await db.close()
  })

  test('have their own transactions if processes cannot share memory', async () => {
    const path = join(folder, 'alone.db')
    mkdirSync(`${path}-commits`)
    const { db, teams } = await open('alone.db')
    await nextTurn()
    expect(await teams()).toEqual([])
    insertElsewhere(path, 'albion')
    expect(await teams()).toEqual(['albion'])
    await db.write(tx => insertTeam(tx, 'wanderers'))
    expect(await teams()).toEqual(['albion', 'wanderers'])
    await db.close()
  })

  test('cannot write, on either connection', async () => {
    const { db, teams } = await open('read-only.db')
    // Guarantee of the cast: both have the methods of Drizzle; the types alone keep a reader from writing.
    const insert = () => insertTeam(db.read as Transaction, 'town')
    const refused = async () => await expect(insert().execute()).rejects.toThrow('readonly')
    for (let attempt = 0; attempt < 3; attempt++) await refused()
    await db.write(refused)
    expect(await teams()).toEqual([])
    await db.close()
  })

  test('leave the error of a full disk as it is, although SQLite has ended the transaction', async () => {
    const { db, teams } = await open('full.db')
    // Drizzle's own way to the connection that writes.
    const connection = await db.write(async tx => (tx as unknown as { $client: Database }).$client)
    connection.run('PRAGMA max_page_count = 1')
    const fill = db.write(async tx => {
      try {
        for (let n = 0; n < 1_000; n++) await insertTeam(tx, `${n}`.padEnd(1_000, 'x'))
      } finally {
        expect(connection.inTransaction).toBe(false)
        expect(await byAnother(teams)).toEqual([])
      }
    })
    await expect(fill).rejects.toThrow('database full')
    connection.run('PRAGMA max_page_count = 1000000')
    await db.write(tx => insertTeam(tx, 'space'))
    expect(await teams()).toEqual(['space'])
    await db.close()
  })

  test('continue after a failed read', async () => {
    const { db, teams } = await open('failing.db')
    await nextTurn()
    expect(await teams()).toEqual([])
    const failed = db.read.select({ id: db.tables.teams.id }).from(db.tables.teams)
    await expect(failed.where(sql`json('{') IS NULL`).execute()).rejects.toThrow()
    expect(await teams()).toEqual([])
    await db.close()
  })
})

test('the count of commits is accessible to the owner only, has one length, and is the same at the next start', async () => {
  const { path, db } = await open('mode.db')
  await db.close()
  const first = statSync(`${path}-commits`)
  expect([first.mode & 0o777, first.size]).toEqual([0o600, 4])
  const again = await open('mode.db')
  await again.db.write(tx => insertTeam(tx, 'city'))
  await again.db.close()
  expect([statSync(`${path}-commits`).ino, statSync(`${path}-commits`).size]).toEqual([first.ino, 4])
})
