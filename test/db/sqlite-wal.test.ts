/** Disk I/O of a server: durable before the response, and off the thread that serves requests. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, DatabaseError } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { openSqlite } from '../../db/sqlite/database.ts'
import { createClock } from '../support/clock.ts'
import { nextTurn, turns, waitUntil } from '../support/wait-until.ts'
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

const teamIds = async () => {
  const { teams } = db.tables
  return (await db.read.select({ id: teams.id }).from(teams)).map(({ id }) => id)
}
const faultOf = (error: unknown) => (error instanceof DatabaseError ? error.fault : `no fault: ${error}`)

/** A disk whose calls complete when the test says so. */
function createDisk() {
  const asked = {
    waitUntilWritable: [] as PromiseWithResolvers<void>[],
    flush: [] as PromiseWithResolvers<void>[],
  }
  let isWell = false
  const begin = (kind: keyof typeof asked) => {
    const work = Promise.withResolvers<void>()
    asked[kind].push(work)
    if (isWell) work.resolve()
    return work.promise
  }
  const nth = (kind: keyof typeof asked, n: number) =>
    waitUntil(`${kind} is called for the ${n + 1}th time`, () => asked[kind][n])
  return {
    /** Accepts every COMMIT; an fsync completes when the test says so. */
    slow: { waitUntilWritable: async () => {}, flush: () => begin('flush') },
    /** Accepts a COMMIT when the test says so. */
    frozen: { waitUntilWritable: () => begin('waitUntilWritable'), flush: async () => {} },
    /** The `n`th fsync. */
    fsync: (n: number) => nth('flush', n),
    accept: (n: number) => nth('waitUntilWritable', n),
    /** From now on all calls complete at once. */
    recover() {
      isWell = true
      for (const work of [...asked.waitUntilWritable, ...asked.flush]) work.resolve()
    },
    asked,
  }
}

const open = (options: Parameters<typeof openSqlite>[2]) =>
  // Only the size ends a batch, also on a slow machine.
  openSqlite(path, clock, { offloadDisk: true, batchMs: Number.POSITIVE_INFINITY, ...options })

describe('a commit that is not yet durable (SQLite)', () => {
  test('gets no response and runs no effect before it is durable', async () => {
    const disk = createDisk()
    db = open({ disk: disk.slow })
    const seen: string[] = []
    const write = db
      .write(async tx => {
        await insertTeam(tx, 'durable')
        tx.afterCommit(() => seen.push('effect'))
      })
      .then(() => seen.push('answered'))
    const fsync = await disk.fsync(0)
    await turns(20)
    expect(seen).toEqual([])
    fsync.resolve()
    await write
    expect(seen).toEqual(['effect', 'answered'])
  })

  test('invalidates cached responses when readers see it', async () => {
    const disk = createDisk()
    db = open({ disk: disk.slow })
    const invalidated: string[] = []
    db.onInvalidate(tag => invalidated.push(tag))
    const write = db.write(async tx => {
      await insertTeam(tx, 'visible')
      tx.invalidate('teams')
    })
    await waitUntil('the row is visible', async () => {
      const isVisible = (await teamIds()).length > 0
      expect(invalidated).toEqual(isVisible ? ['teams'] : [])
      return isVisible
    })
    ;(await disk.fsync(0)).resolve()
    await write
  })

  test('delays the failures in its batch, which may depend on its writes', async () => {
    const disk = createDisk()
    db = open({ disk: disk.slow })
    const seen: string[] = []
    const claims = ['first', 'second'].map(name =>
      db
        .write(async tx => {
          const [row] = await tx
            .insert(tx.tables.teams)
            .values({
              id: 'one',
              name,
              shortName: 'X',
              active: true,
              createdAt: tx.now(),
              updatedAt: tx.now(),
            })
            .onConflictDoNothing()
            .returning()
          if (!row) throw new Error('taken')
        })
        .then(
          () => seen.push(`${name} done`),
          () => seen.push(`${name} refused`),
        ),
    )
    const fsync = await disk.fsync(0)
    await turns(20)
    expect(seen).toEqual([])
    fsync.resolve()
    await Promise.all(claims)
    expect(seen).toEqual(['first done', 'second refused'])
  })

  test('delays later writes, which share the next fsync, and no reads', async () => {
    const disk = createDisk()
    db = open({ disk: disk.slow })
    const first = db.write(tx => insertTeam(tx, 'a'))
    const fsync = await disk.fsync(0)
    const others = ['b', 'c', 'd'].map(id => db.write(tx => insertTeam(tx, id)))
    await turns(20)
    expect(await teamIds()).toEqual(['a'])
    fsync.resolve()
    await first
    ;(await disk.fsync(1)).resolve()
    await Promise.all(others)
    expect(await teamIds()).toEqual(['a', 'b', 'c', 'd'])
    expect(disk.asked.flush).toHaveLength(2)
  })

  test('fails when the disk fails, as do all writes until a restart', async () => {
    const disk = createDisk()
    db = open({ disk: disk.slow })
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

    await db.close()
    db = open({})
    await db.write(tx => insertTeam(tx, 'after'))
    await db.ping()
    // The write with the unknown outcome may or may not be there.
    expect(await teamIds()).toEqual(expect.arrayContaining(['kept', 'after']))
    expect(await teamIds()).not.toContain('next')
  })

  test('has an unknown outcome after the timeout, and the database continues when the disk does', async () => {
    const disk = createDisk()
    db = open({ disk: disk.slow, flushTimeoutMs: 20 })
    const late = db.write(tx => insertTeam(tx, 'late')).catch(faultOf)
    await disk.fsync(0)
    expect(await late).toBe('unreachable')
    expect(await teamIds()).toEqual(['late'])
    disk.recover()
    await db.write(tx => insertTeam(tx, 'next'))
    expect(disk.asked.flush).toHaveLength(2)
  })
})

describe('a file system that does not respond (SQLite)', () => {
  test('does not block the event loop: reads continue, writes fail as busy after the timeout, nothing is lost', async () => {
    const disk = createDisk()
    db = open({ disk: disk.frozen, lockTimeoutMs: 30 })
    const refused = ['a', 'b', 'c'].map(id => db.write(tx => insertTeam(tx, id)).catch(faultOf))
    await disk.accept(0)
    const behind = db.write(tx => insertTeam(tx, 'behind')).catch(faultOf)
    expect(await teamIds()).toEqual([])
    expect(await Promise.all([...refused, behind])).toEqual(['busy', 'busy', 'busy', 'busy'])
    // One attempt waits for all writes.
    expect(disk.asked.waitUntilWritable).toHaveLength(1)
    disk.recover()
    await nextTurn()
    await db.write(tx => insertTeam(tx, 'good'))
    expect(disk.asked.waitUntilWritable).toHaveLength(2)
    expect(await teamIds()).toEqual(['good'])
  })

  test('a failed write rejects at once, and the next batch works', async () => {
    db = open({})
    const refused = db.write(async () => {
      throw new Error('my own')
    })
    await expect(refused).rejects.toThrow('my own')
    await db.write(tx => insertTeam(tx, 'good'))
    expect(await teamIds()).toEqual(['good'])
  })
})

describe('the WAL (SQLite)', () => {
  const MEBIBYTE = 1024 * 1024
  const bytesOf = (file: string) => statSync(file).size

  test('is checkpointed during writes and reads, and a checkpoint does not count as a commit', async () => {
    db = open({})
    const before = db.externalCommits()
    const at = clock.now()
    let longest = 0
    let isWriting = true
    const reads = (async () => {
      for (; isWriting; await new Promise(resolve => setImmediate(resolve))) await teamIds()
    })()
    for (let n = 0; n < 200; n++) {
      const name = `${n}`.padEnd(MEBIBYTE / 4, 'x')
      await db.write(tx =>
        tx
          .insert(tx.tables.teams)
          .values({ id: `team-${n % 20}`, name, shortName: 'X', active: true, createdAt: at, updatedAt: at })
          .onConflictDoUpdate({ target: tx.tables.teams.id, set: { name } }),
      )
      longest = Math.max(longest, bytesOf(`${path}-wal`))
      await nextTurn()
    }
    isWriting = false
    await reads
    // Fifty mebibytes went through it.
    expect(longest).toBeLessThan(25 * MEBIBYTE)
    expect(bytesOf(path)).toBeGreaterThan(4 * MEBIBYTE)
    expect(db.externalCommits()).toBe(before)
    expect(await db.findDamage()).toEqual([])
    await db.close()
    db = openSqlite(path, clock)
    expect(await teamIds()).toHaveLength(20)
    expect(await db.findDamage()).toEqual([])
  })

  test('is checkpointed into the file on close', async () => {
    db = open({})
    await db.write(tx => insertTeam(tx, 'a'))
    expect(bytesOf(`${path}-wal`)).toBeGreaterThan(0)
    await db.close()
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
    db = openSqlite(path, clock)
    expect(await teamIds()).toEqual(['a'])
  })
})
