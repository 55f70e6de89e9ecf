/** Bounded retries of serialization failures and deadlocks, the settings of a transaction, and the pool. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import {
  type Database,
  DatabaseError,
  openDatabase,
  type Reader,
  type Transaction,
  translateDatabaseError,
} from '../../db/index.ts'
import { nameIn, runStatement } from '../../db/schema/shape.ts'
import { createClock } from '../support/clock.ts'
import { noServer, postgresEngine, type TemporaryDatabase } from '../support/engines.ts'
import { testSchema } from '../support/patience.ts'
import { countsAttempts } from '../support/serializable.ts'
import { execute, outcome, withRawConnection } from './probe.ts'

const clock = createClock()
let temporary: TemporaryDatabase

describe.skipIf(noServer !== '')(`Units of work on a server (PostgreSQL)${noServer}`, () => {
  beforeAll(async () => {
    temporary = await postgresEngine.open(clock)
    const at = clock.now()
    const team = { shortName: 'TST', active: true, createdAt: at, updatedAt: at }
    await temporary.db.write(tx =>
      tx.insert(tx.tables.teams).values([
        { ...team, id: 'a', name: 'a' },
        { ...team, id: 'b', name: 'b' },
      ]),
    )
  })
  afterAll(() => temporary.remove())

  const rename = (tx: Transaction, id: string, name: string) =>
    tx.update(tx.tables.teams).set({ name }).where(eq(tx.tables.teams.id, id))
  const nameOf = async (id: string) => {
    const { teams } = temporary.db.tables
    return (await temporary.db.read.select().from(teams).where(eq(teams.id, id)))[0]?.name
  }
  const raise = (tx: Reader | Transaction, sqlState: string) =>
    execute(tx, `DO $$ BEGIN RAISE EXCEPTION 'as asked' USING ERRCODE = '${sqlState}'; END $$`)

  test('a statement that a unit of work prepares on a small table uses its index', async () => {
    const plan = await temporary.db.write(async tx => {
      await execute(tx, 'ANALYZE teams')
      return execute(tx, `EXPLAIN SELECT name FROM teams WHERE id = 'a'`)
    })
    expect(JSON.stringify(plan)).toContain('Index Scan')
  })

  test('a unit of work that first reads does so in its transaction, with its settings', async () => {
    const found = await temporary.db.write(async tx => {
      const { teams } = tx.tables
      const read = () =>
        tx
          .select({
            transaction: sql`txid_current()`,
            timeout: sql`current_setting('statement_timeout')`,
            idle: sql`current_setting('idle_in_transaction_session_timeout')`,
            scans: sql`current_setting('enable_seqscan')`,
            compiles: sql`current_setting('jit')`,
          })
          .from(teams)
          .where(eq(teams.id, 'a'))
      const both = await Promise.all([read(), read()])
      return [...both.flat(), ...(await read())]
    })
    const settings = { timeout: '1min', idle: '2min', scans: 'off', compiles: 'off' }
    const transaction = found[0]?.transaction
    expect(found).toEqual(Array(3).fill({ transaction, ...settings }))
  })

  test.each(['SELECT 1', 'SELECT fail'])(
    'a unit of work that first reads (%s) and then throws writes nothing',
    async statement => {
      const failure = new Error('as asked')
      const work = temporary.db.write(async tx => {
        await execute(tx, statement).catch(() => {})
        await rename(tx, 'a', statement).catch(() => {})
        throw failure
      })
      expect(await outcome(work)).toEqual({ error: failure })
      expect(await nameOf('a')).not.toBe(statement)
      await temporary.db.write(tx => rename(tx, 'a', `after ${statement}`))
      expect(await nameOf('a')).toBe(`after ${statement}`)
    },
  )

  test('a unit of work whose failed first read is caught is not committed', async () => {
    const work = temporary.db.write(async tx => {
      const { teams } = tx.tables
      await tx
        .select({ fails: sql`1 / 0` })
        .from(teams)
        .where(eq(teams.id, 'a'))
        .catch(() => {})
    })
    expect(await outcome(work)).toHaveProperty('error')
  })

  const counting = test.skipIf(countsAttempts !== '')

  describe.skipIf(countsAttempts !== '')(`retries${countsAttempts}`, () => {
    for (const sqlState of ['40001', '40P01']) {
      test(`a job that fails with ${sqlState} runs again, and only its last run has effects`, async () => {
        let runs = 0
        const effects: number[] = []
        const answer = await temporary.db.write(async tx => {
          const run = ++runs
          tx.afterCommit(() => effects.push(run))
          await rename(tx, 'a', `${sqlState} run ${run}`)
          if (run < 3) await raise(tx, sqlState)
          return run
        })
        expect([answer, runs, effects]).toEqual([3, 3, [3]])
        expect(await nameOf('a')).toBe(`${sqlState} run 3`)
      })
    }

    test('a job that hears last of the statement that failed runs again', async () => {
      let runs = 0
      await temporary.db.write(async tx => {
        if (++runs === 2) return
        const conflict = raise(tx, '40P01')
        const later = conflict.catch(() => {}).then(() => tx.select().from(tx.tables.teams))
        await Promise.all([later, later.catch(() => {}).then(() => conflict)])
      })
      expect(runs).toBe(2)
    })

    test('other errors are not retried', async () => {
      let runs = 0
      const work = temporary.db.write(async tx => {
        runs++
        await raise(tx, '22012')
      })
      expect(
        await work.then(
          () => 'written',
          () => 'refused',
        ),
      ).toBe('refused')
      expect(runs).toBe(1)
    })

    test('errors of the server are classified by what a caller can do', async () => {
      for (const [sqlState, fault] of [
        ['53100', 'full'],
        ['53300', 'busy'],
        ['55P03', 'busy'],
        ['40003', 'unreachable'],
        ['57014', 'busy'],
        ['57P01', 'unreachable'],
        ['08006', 'unreachable'],
        ['25006', 'read_only'],
        ['58030', 'unreachable'],
        ['XX001', 'corrupt'],
      ] as const) {
        const refusal = await temporary.db
          .write(async tx => raise(tx, sqlState))
          .catch((error: unknown) => error)
        expect([sqlState, (refusal as DatabaseError).fault]).toEqual([sqlState, fault])
      }
    })
  })

  describe('many connections', () => {
    counting(`after a deadlock of two jobs one runs again, and both succeed${countsAttempts}`, async () => {
      let runs = 0
      const barrier = Promise.withResolvers<void>()
      let arrived = 0
      const job = (first: string, second: string) =>
        temporary.db.write(async tx => {
          runs++
          await rename(tx, first, `${first}${second}`)
          if (++arrived === 2) barrier.resolve()
          await barrier.promise
          await rename(tx, second, `${first}${second}`)
        })
      await Promise.all([job('a', 'b'), job('b', 'a')])
      expect(runs).toBe(3)
      const name = await nameOf('a')
      expect(['ab', 'ba']).toContain(String(name))
      expect(await nameOf('b')).toBe(name)
    })

    const withTimeout = async (statementTimeoutMs: number, use: (db: Database) => Promise<void>) => {
      const db = openDatabase(temporary.url ?? '', clock, { postgres: { statementTimeoutMs } })
      await use(db).finally(() => db.close())
    }

    counting(
      `a job that conflicts more often than five times succeeds within the time of a statement${countsAttempts}`,
      () =>
        withTimeout(600_000, async db => {
          let runs = 0
          await db.write(async tx => {
            if (++runs < 12) await raise(tx, '40001')
          })
          expect(runs).toBe(12)
        }),
    )

    test('a job and a read that always conflict fail with DatabaseError busy', () =>
      withTimeout(100, async db => {
        let runs = 0
        const written = db.write(async tx => {
          runs++
          await raise(tx, '40001')
        })
        expect(await outcome(written)).toMatchObject({ error: { fault: 'busy' } })
        expect(runs).toBeGreaterThanOrEqual(5)
        const error = await raise(db.read, '40001').catch(translateDatabaseError)
        expect(error).toMatchObject({ fault: 'busy' })
      }))

    counting(`a read outside of a unit of work is repeated after a conflict${countsAttempts}`, async () => {
      await withRawConnection(temporary, async run => {
        await run('CREATE SEQUENCE reads')
        // A sequence keeps its value when the statement fails.
        await run(`CREATE FUNCTION read_often() RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE n bigint := nextval('reads');
        BEGIN IF n < 12 THEN RAISE EXCEPTION 'as asked' USING ERRCODE = '40001'; END IF; RETURN n; END $$`)
      })
      await withTimeout(600_000, async db => {
        const [row] = await runStatement(
          db.read,
          sql`SELECT ${sql.raw(nameIn(testSchema, 'read_often'))}()::int AS n`,
        )
        expect(row?.n).toBe(12)
      })
    })

    test('more concurrent jobs than connections all succeed', async () => {
      const names = await Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          temporary.db.write(async tx => {
            await rename(tx, 'a', `job ${n}`)
            return (await tx.select().from(tx.tables.teams).where(eq(tx.tables.teams.id, 'a')))[0]?.name
          }),
        ),
      )
      expect(names).toEqual(Array.from({ length: 60 }, (_, n) => `job ${n}`))
    })

    test('a pool opens DATABASE_POOL_SIZE connections at most', async () => {
      const postgres = { poolSize: 3 }
      const db = openDatabase(temporary.url ?? '', clock, { postgres })
      const backend = sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
      const reads = Array.from({ length: 20 }, () => runStatement(db.read, backend))
      const writes = Array.from({ length: 20 }, () => db.write(tx => runStatement(tx, backend)))
      const pids = (await Promise.all([...reads, ...writes])).map(([row]) => row?.pid)
      expect(pids).not.toContain(undefined)
      expect(new Set(pids).size).toBeLessThanOrEqual(postgres.poolSize)
      await db.close()
    })

    test('connections that the server closed are replaced, and the database recovers', async () => {
      const { db } = temporary
      const { teams } = db.tables
      const read = () => db.read.select().from(teams)
      await Promise.all(Array.from({ length: 12 }, read))
      await withRawConnection(temporary, run =>
        run(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        ),
      )
      // Each connection of the pool may fail once, with a DatabaseError. Then all work.
      const failures: unknown[] = []
      for (let tries = 0; tries < 12; tries++) {
        await read().catch(error => failures.push(translateDatabaseError(error)))
      }
      expect(failures.filter(error => !(error instanceof DatabaseError))).toEqual([])
      expect(await db.write(async tx => (await tx.select().from(teams)).length)).toBe(2)
    })
  })
})
