/** A process alone with its file: durable before it is answered or read, off the thread that answers. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, DatabaseError } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { openSqlite } from '../../db/sqlite.ts'
import { createClock } from '../support/clock.ts'
import { insertTeam } from './probe.ts'

const clock = createClock()
let folder: string
let path: string
let db: Database

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
  path = join(folder, 'test.db')
  await migrate(`sqlite:${path}`)
})
afterEach(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

const teamIds = async () => (await db.read.select().from(db.tables.teams)).map(({ id }) => id)
const faultOf = (error: unknown) => (error instanceof DatabaseError ? error.fault : `no fault: ${error}`)

/** A disk that writes when the test says so. */
function createDisk() {
  const asked: PromiseWithResolvers<void>[] = []
  const flush = () => {
    const writing = Promise.withResolvers<void>()
    asked.push(writing)
    return writing.promise
  }
  /** The fsync that is asked for as number `n`. */
  async function fsync(n: number) {
    while (asked.length <= n) await Bun.sleep(0)
    return asked[n] as PromiseWithResolvers<void>
  }
  return { flush, fsync }
}

describe('what is committed and not yet on the disk (SQLite)', () => {
  test('is not answered, not read and has no effect before it is there', async () => {
    const disk = createDisk()
    db = openSqlite(path, clock, { alone: true, flush: disk.flush })
    const heard: string[] = []
    db.onTouch(topic => heard.push(topic))
    const write = db
      .write(async tx => {
        await insertTeam(tx, 'durable')
        tx.afterCommit(() => heard.push('effect'))
        tx.touch('teams')
      })
      .then(() => heard.push('answered'))
    const fsync = await disk.fsync(0)
    // Whatever was to happen early would have: turns of the event loop, each with a snapshot of its own.
    for (let turn = 0; turn < 20; turn++) {
      expect(await teamIds()).toEqual([])
      await Bun.sleep(0)
    }
    expect(heard).toEqual([])
    fsync.resolve()
    await write
    expect(heard).toEqual(['effect', 'teams', 'answered'])
    expect(await teamIds()).toEqual(['durable'])
  })

  test('holds up the writes after it, which share the next fsync, and no reads', async () => {
    const disk = createDisk()
    db = openSqlite(path, clock, { alone: true, flush: disk.flush })
    const first = db.write(tx => insertTeam(tx, 'a'))
    const fsync = await disk.fsync(0)
    const others = ['b', 'c', 'd'].map(id => db.write(tx => insertTeam(tx, id)))
    expect(await teamIds()).toEqual([])
    fsync.resolve()
    await first
    expect(await teamIds()).toEqual(['a'])
    ;(await disk.fsync(1)).resolve()
    await Promise.all(others)
    expect(await teamIds()).toEqual(['a', 'b', 'c', 'd'])
  })

  test('is refused when the disk fails, with all writes until a restart; what is read stays what was durable', async () => {
    const disk = createDisk()
    db = openSqlite(path, clock, { alone: true, flush: disk.flush })
    const kept = db.write(tx => insertTeam(tx, 'kept'))
    ;(await disk.fsync(0)).resolve()
    await kept
    const lost = db.write(tx => insertTeam(tx, 'lost')).catch(faultOf)
    const waiting = disk.fsync(1).then(fsync => {
      const next = db.write(tx => insertTeam(tx, 'next')).catch(faultOf)
      fsync.reject(new Error('input/output error'))
      return next
    })
    expect([await lost, await waiting]).toEqual(['unreachable', 'unreachable'])
    expect(await db.write(tx => insertTeam(tx, 'later')).catch(faultOf)).toBe('unreachable')
    expect(await db.ping().catch(faultOf)).toBe('unreachable')
    await Bun.sleep(0)
    expect(await teamIds()).toEqual(['kept'])

    await db.close()
    db = openSqlite(path, clock, { alone: true })
    await db.write(tx => insertTeam(tx, 'after'))
    await db.ping()
    // Whether what was not answered is there, nobody had been told.
    expect(await teamIds()).toEqual(expect.arrayContaining(['kept', 'after']))
  })

  test('a write that fails is told at once, and the batch after it works', async () => {
    db = openSqlite(path, clock, { alone: true })
    const refused = db.write(async () => {
      throw new Error('my own')
    })
    await expect(refused).rejects.toThrow('my own')
    await db.write(tx => insertTeam(tx, 'good'))
    expect(await teamIds()).toEqual(['good'])
  })
})

describe('the WAL of a process alone (SQLite)', () => {
  const MEBIBYTE = 1024 * 1024
  const bytesOf = (file: string) => statSync(file).size

  test('is written back while writes and reads go on, and counts as nobody else’s commit', async () => {
    db = openSqlite(path, clock, { alone: true })
    const before = db.foreignCommits()
    const at = clock.now()
    let longest = 0
    for (let n = 0; n < 200; n++) {
      const name = `${n}`.padEnd(MEBIBYTE / 4, 'x')
      await db.write(tx =>
        tx
          .insert(tx.tables.teams)
          .values({ id: `team-${n % 20}`, name, shortName: 'X', active: true, createdAt: at, updatedAt: at })
          .onConflictDoUpdate({ target: tx.tables.teams.id, set: { name } }),
      )
      await teamIds()
      longest = Math.max(longest, bytesOf(`${path}-wal`))
      await Bun.sleep(0)
    }
    // Fifty mebibytes went through it.
    expect(longest).toBeLessThan(25 * MEBIBYTE)
    expect(bytesOf(path)).toBeGreaterThan(4 * MEBIBYTE)
    expect(db.foreignCommits()).toBe(before)
    expect(await db.findDamage()).toEqual([])
    await db.close()
    db = openSqlite(path, clock)
    expect(await teamIds()).toHaveLength(20)
    expect(await db.findDamage()).toEqual([])
  })

  test('is brought into the file when it closes', async () => {
    db = openSqlite(path, clock, { alone: true })
    await db.write(tx => insertTeam(tx, 'a'))
    expect(bytesOf(`${path}-wal`)).toBeGreaterThan(0)
    await db.close()
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
    db = openSqlite(path, clock)
    expect(await teamIds()).toEqual(['a'])
  })
})
