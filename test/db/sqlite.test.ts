/** SQLite only: group commit, and a file that another process locks. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { dropDatabase } from '../../db/drop.ts'
import { type Database, DatabaseError, openDatabase, type Transaction } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { openSqlite } from '../../db/sqlite/database.ts'
import { createClock } from '../support/clock.ts'
import { nextTurn, turns } from '../support/wait-until.ts'
import { insertTeam, withRawConnection } from './probe.ts'

const clock = createClock()
const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
const path = join(folder, 'test.db')
let db: Database
let shortTimeout: Database

beforeAll(async () => {
  await migrate(`sqlite:${path}`)
  db = openSqlite(path, clock, { batchMs: Number.POSITIVE_INFINITY })
  shortTimeout = openSqlite(path, clock, { lockTimeoutMs: 20 })
  await withRawConnection({ db, url: `sqlite:${path}` }, async run => {
    await run('CREATE TABLE parents (id text PRIMARY KEY)')
    await run('CREATE TABLE children (parent_id text REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)')
  })
})
afterAll(async () => {
  await Promise.all([db.close(), shortTimeout.close()])
  rmSync(folder, { recursive: true })
})

const teamIds = async () => (await db.read.select().from(db.tables.teams)).map(({ id }) => id)
const insertOrphan = (tx: Transaction) =>
  (tx as unknown as { run(statement: string): unknown }).run("INSERT INTO children VALUES ('nobody')")
const faultOf = (error: unknown) => (error instanceof DatabaseError ? error.fault : `no fault: ${error}`)

describe('group commit (SQLite)', () => {
  test('no job of a batch resolves before the shared COMMIT', async () => {
    const order: string[] = []
    await Promise.all(
      ['a', 'b', 'c'].map(async name => {
        await db.write(async () => {
          await nextTurn()
          order.push(`${name} ran`)
        })
        order.push(`${name} answered`)
      }),
    )
    expect(order.slice(0, 3)).toEqual(['a ran', 'b ran', 'c ran'])
    expect(order.slice(3).toSorted()).toEqual(['a answered', 'b answered', 'c answered'])
  })

  test('jobs run in sequence, also across batches, and each sees the earlier ones', async () => {
    const seen = await Promise.all(
      Array.from({ length: 150 }, (_, n) =>
        db.write(async tx => {
          await insertTeam(tx, `line-${String(n).padStart(3, '0')}`)
          const rows = await tx.select().from(tx.tables.teams)
          return rows.filter(({ id }) => id.startsWith('line-')).length
        }),
      ),
    )
    expect(seen).toEqual(Array.from({ length: 150 }, (_, n) => n + 1))
  })

  test('a COMMIT that fails fails every job of its batch and runs no effect, and the next batch works', async () => {
    const effects: string[] = []
    const reached: string[] = []
    const job = (name: string, orphan: boolean) =>
      db.write(async tx => {
        tx.afterCommit(() => effects.push(name))
        await insertTeam(tx, `commit-${name}`)
        if (orphan) insertOrphan(tx)
        reached.push(name)
      })
    const results = await Promise.allSettled([job('a', false), job('b', true), job('c', false)])
    expect(reached).toEqual(['a', 'b', 'c'])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(effects).toEqual([])
    await job('d', false)
    expect(effects).toEqual(['d'])
    expect((await teamIds()).filter(id => id.startsWith('commit-'))).toEqual(['commit-d'])
  })

  test('a job that failed earlier rejects with its own error when the COMMIT of the batch fails', async () => {
    const own = db.write(async () => {
      throw new Error('my own')
    })
    const orphan = db.write(async tx => insertOrphan(tx))
    const [first, second] = await Promise.allSettled([own, orphan])
    expect(first).toMatchObject({ status: 'rejected', reason: { message: 'my own' } })
    expect(String((second as PromiseRejectedResult).reason)).toContain('FOREIGN KEY')
  })

  test('a statement that rolls back the transaction fails the jobs before it, and the others run in the next batch', async () => {
    const results = await Promise.allSettled([
      db.write(tx => insertTeam(tx, 'swept-1')),
      db.write(async tx => {
        await insertTeam(tx, 'swept-2')
        // Like a full disk: SQLite rolls back the whole transaction with its savepoints.
        const queries = tx as unknown as { run(statement: string): unknown }
        queries.run('ROLLBACK')
        throw new Error('the disk is full')
      }),
      db.write(tx => insertTeam(tx, 'swept-3')),
    ])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
    await db.write(tx => insertTeam(tx, 'swept-4'))
    expect((await teamIds()).filter(id => id.startsWith('swept-'))).toEqual(['swept-3', 'swept-4'])
  })

  test('the reader connection refuses writes', async () => {
    const reader = db.read as unknown as Transaction
    const refusal = await (async () => insertTeam(reader, 'through-the-reader'))().then(
      () => 'written',
      (error: Error) => `${error.message} ${error.cause}`,
    )
    expect(refusal).toContain('readonly')
  })

  test('a database in memory is refused, since two connections cannot share it', () => {
    expect(() => openDatabase('sqlite::memory:', clock)).toThrow('needs a file')
    expect(() => openDatabase('mysql://localhost/x', clock)).toThrow('DATABASE_URL must start with')
  })
})

describe('a file that another process has locked (SQLite)', () => {
  async function holdLock() {
    const holder = Bun.spawn([process.execPath, join(import.meta.dir, 'lock-holder.ts'), path], {
      stdin: 'pipe',
      stdout: 'pipe',
    })
    const { value } = await holder.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toBe('locked')
    return async () => {
      holder.stdin.end()
      expect(await holder.exited).toBe(0)
    }
  }

  test('does not block the event loop, and the write succeeds afterwards', async () => {
    const release = await holdLock()
    const answered: string[] = []
    const write = db.write(tx => insertTeam(tx, 'longTimeout')).then(() => answered.push('written'))
    await turns(50)
    expect(answered).toEqual([])
    expect(await teamIds()).not.toContain('longTimeout')
    await release()
    await write
    expect(await teamIds()).toContain('longTimeout')
  })

  test('fails the write with DatabaseError busy after the timeout, and the next write succeeds', async () => {
    const release = await holdLock()
    const refused = await Promise.allSettled([
      shortTimeout.write(tx => insertTeam(tx, 'hasty-1')),
      shortTimeout.write(tx => insertTeam(tx, 'hasty-2')),
    ])
    expect(
      refused.map(result => (result.status === 'rejected' ? faultOf(result.reason) : 'written')),
    ).toEqual(['busy', 'busy'])
    await release()
    await shortTimeout.write(tx => insertTeam(tx, 'hasty-3'))
    expect((await teamIds()).filter(id => id.startsWith('hasty-'))).toEqual(['hasty-3'])
  })

  test('delays each write by at most the timeout from its arrival, for any number of batches', async () => {
    await using cleanup = new AsyncDisposableStack()
    cleanup.defer(await holdLock())
    const longTimeout = openSqlite(path, clock, { lockTimeoutMs: 2_000 })
    cleanup.defer(() => longTimeout.close())
    const settledAt: number[] = []
    const refused = Array.from({ length: 600 }, (_, n) =>
      longTimeout
        .write(tx => insertTeam(tx, `crowd-${n}`))
        .catch(error => {
          settledAt.push(performance.now())
          return faultOf(error)
        }),
    )
    expect(await Promise.all(refused)).toEqual(Array(600).fill('busy'))
    // Nine batches that wait in sequence would take eight times the timeout.
    expect((settledAt.at(-1) ?? 0) - (settledAt[0] ?? 0)).toBeLessThan(10_000)
  })
})

describe('the file (SQLite)', () => {
  test('contains every acknowledged write after close, without a WAL', async () => {
    const file = join(folder, 'closed.db')
    await migrate(`sqlite:${file}`)
    const first = openDatabase(`sqlite:${file}`, clock)
    await first.write(tx => insertTeam(tx, 'kept'))
    await first.close()
    expect(Bun.file(`${file}-wal`).size).toBe(0)
    expect(Bun.file(file).size).toBeGreaterThan(0)
    const second = openDatabase(`sqlite:${file}`, clock)
    await second.ping()
    expect(await second.read.select().from(second.tables.teams)).toHaveLength(1)
    await second.close()
  })

  test('is not in use after close, also after more statements than are cached', async () => {
    const busy = `${path}-busy`
    await migrate(`sqlite:${busy}`)
    const many = openSqlite(busy, clock)
    await many.write(tx => insertTeam(tx, 'one'))
    const { teams } = many.tables
    for (let nth = 0; nth < 1_500; nth++)
      await many.read.select({ name: sql`${sql.raw(String(nth))}` }).from(teams)
    await many.close()
    await dropDatabase(`sqlite:${busy}`)
    expect(existsSync(busy)).toBe(false)
  })

  test('fails the ping when it was never migrated', async () => {
    const bare = openDatabase(`sqlite:${join(folder, 'bare.db')}`, clock)
    await expect(bare.ping()).rejects.toThrow('no such table')
    await bare.close()
  })
})
