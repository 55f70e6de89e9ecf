/** SQLite alone: the batch that shares a COMMIT, and the file that other processes lock. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, DatabaseError, openDatabase, type Transaction } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { openSqlite } from '../../db/sqlite/database.ts'
import { createClock } from '../support/clock.ts'
import { insertTeam, withRawConnection } from './probe.ts'

const clock = createClock()
const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
const path = join(folder, 'test.db')
let db: Database
let impatient: Database

beforeAll(async () => {
  await migrate(`sqlite:${path}`)
  db = openSqlite(path, clock, { batchMs: Number.POSITIVE_INFINITY })
  impatient = openSqlite(path, clock, { lockTimeoutMs: 20 })
  await withRawConnection({ db, url: `sqlite:${path}` }, async run => {
    await run('CREATE TABLE parents (id text PRIMARY KEY)')
    await run('CREATE TABLE children (parent_id text REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)')
  })
})
afterAll(async () => {
  await Promise.all([db.close(), impatient.close()])
  rmSync(folder, { recursive: true })
})

const teamIds = async () => (await db.read.select().from(db.tables.teams)).map(({ id }) => id)
const insertOrphan = (tx: Transaction) =>
  (tx as unknown as { run(statement: string): unknown }).run("INSERT INTO children VALUES ('nobody')")
const faultOf = (error: unknown) => (error instanceof DatabaseError ? error.fault : `no fault: ${error}`)

describe('group commit (SQLite)', () => {
  test('jobs of a batch wait for the one COMMIT: none is answered before the last has run', async () => {
    const order: string[] = []
    await Promise.all(
      ['a', 'b', 'c'].map(async name => {
        await db.write(async () => {
          await Bun.sleep(0)
          order.push(`${name} ran`)
        })
        order.push(`${name} answered`)
      }),
    )
    expect(order.slice(0, 3)).toEqual(['a ran', 'b ran', 'c ran'])
    expect(order.slice(3).toSorted()).toEqual(['a answered', 'b answered', 'c answered'])
  })

  test('jobs run one after the other, also past the size of a batch, and each sees those before it', async () => {
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

  test('a job that failed before is told its own error when the COMMIT of the batch fails', async () => {
    const own = db.write(async () => {
      throw new Error('my own')
    })
    const orphan = db.write(async tx => insertOrphan(tx))
    const [first, second] = await Promise.allSettled([own, orphan])
    expect(first).toMatchObject({ status: 'rejected', reason: { message: 'my own' } })
    expect(String((second as PromiseRejectedResult).reason)).toContain('FOREIGN KEY')
  })

  test('a statement that rolls back everything fails what its batch has run, and the rest runs in the next', async () => {
    const results = await Promise.allSettled([
      db.write(tx => insertTeam(tx, 'swept-1')),
      db.write(async tx => {
        await insertTeam(tx, 'swept-2')
        // As a full disk does: SQLite takes back the transaction, savepoints and all.
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

  test('the connection for reads takes no writes', async () => {
    const reader = db.read as unknown as Transaction
    const refusal = await (async () => insertTeam(reader, 'through-the-reader'))().then(
      () => 'written',
      (error: Error) => `${error.message} ${error.cause}`,
    )
    expect(refusal).toContain('readonly')
  })

  test('a database in memory is refused, since its reader would see another one', () => {
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

  test('is waited for while the event loop keeps turning, and then the write succeeds', async () => {
    const release = await holdLock()
    const answered: string[] = []
    const write = db.write(tx => insertTeam(tx, 'patient')).then(() => answered.push('written'))
    // Each turn is a timer that fired between two tries.
    for (let turn = 0; turn < 50; turn++) await Bun.sleep(1)
    expect(answered).toEqual([])
    expect(await teamIds()).not.toContain('patient')
    await release()
    await write
    expect(await teamIds()).toContain('patient')
  })

  test('is given up past the patience with DatabaseError busy, and the next write succeeds', async () => {
    const release = await holdLock()
    const refused = await Promise.allSettled([
      impatient.write(tx => insertTeam(tx, 'hasty-1')),
      impatient.write(tx => insertTeam(tx, 'hasty-2')),
    ])
    expect(
      refused.map(result => (result.status === 'rejected' ? faultOf(result.reason) : 'written')),
    ).toEqual(['busy', 'busy'])
    await release()
    await impatient.write(tx => insertTeam(tx, 'hasty-3'))
    expect((await teamIds()).filter(id => id.startsWith('hasty-'))).toEqual(['hasty-3'])
  })

  test('is waited for once, counted from the arrival of each write, however many batches they make', async () => {
    await using cleanup = new AsyncDisposableStack()
    cleanup.defer(await holdLock())
    const patient = openSqlite(path, clock, { lockTimeoutMs: 2_000 })
    cleanup.defer(() => patient.close())
    const settledAt: number[] = []
    const refused = Array.from({ length: 600 }, (_, n) =>
      patient
        .write(tx => insertTeam(tx, `crowd-${n}`))
        .catch(error => {
          settledAt.push(performance.now())
          return faultOf(error)
        }),
    )
    expect(await Promise.all(refused)).toEqual(Array(600).fill('busy'))
    // Nine batches that wait one after another would take eight times the patience.
    expect((settledAt.at(-1) ?? 0) - (settledAt[0] ?? 0)).toBeLessThan(10_000)
  })
})

describe('the file (SQLite)', () => {
  test('holds every acknowledged write for a process that opens it afterwards, the WAL folded in', async () => {
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

  test('that was never migrated does not pass the ping', async () => {
    const bare = openDatabase(`sqlite:${join(folder, 'bare.db')}`, clock)
    expect(bare.ping()).rejects.toThrow('no such table')
    await bare.ping().catch(() => {})
    await bare.close()
  })
})
