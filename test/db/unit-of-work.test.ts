/** The guarantees of `write` on every engine: atomic, durable when it resolves, and isolated. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Transaction } from '../../db/index.ts'
import { createClock, KICK_OFF } from '../support/clock.ts'
import { engines, type TemporaryDatabase } from '../support/engines.ts'
import { nextTurn } from '../support/wait-until.ts'
import { execute, insertTeam, outcome, teamExists, withRawConnection } from './probe.ts'

for (const engine of engines) {
  describe(`unit of work (${engine.name})`, () => {
    const clock = createClock()
    let temporary: TemporaryDatabase

    beforeAll(async () => {
      temporary = await engine.open(clock)
      await withRawConnection(temporary, async run => {
        await run('CREATE TABLE parents (id text PRIMARY KEY)')
        await run(
          'CREATE TABLE children (id text PRIMARY KEY, parent_id text REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)',
        )
      })
    })
    afterAll(() => temporary.remove())

    const exists = (id: string) => teamExists(temporary.db, id)

    /** Is accepted as a statement, and fails at COMMIT. */
    async function insertOrphan(tx: Transaction, id: string) {
      if (temporary.db.engine === 'postgres') {
        await execute(tx, `INSERT INTO children VALUES ('${id}', 'no-such-parent')`)
      } else {
        const queries = tx as unknown as { run(statement: string): unknown }
        queries.run(`INSERT INTO children VALUES ('${id}', 'no-such-parent')`)
      }
    }

    test('resolves to the result of the job, with its writes visible', async () => {
      const value = await temporary.db.write(async tx => {
        await insertTeam(tx, 'kept-1')
        await insertTeam(tx, 'kept-2')
        return { anything: [1] }
      })
      expect(value).toEqual({ anything: [1] })
      expect([await exists('kept-1'), await exists('kept-2')]).toEqual([true, true])
    })

    test('a job that throws after an await writes nothing', async () => {
      const failure = new Error('after an await')
      const { error } = (await outcome(
        temporary.db.write(async tx => {
          await insertTeam(tx, 'gone-1')
          await nextTurn()
          await insertTeam(tx, 'gone-2')
          throw failure
        }),
      )) as { error: unknown }
      expect(error).toBe(failure)
      expect([await exists('gone-1'), await exists('gone-2')]).toEqual([false, false])
    })

    test('a job that throws before its first await also rejects, and the next job runs', async () => {
      const { db } = temporary
      const work = db.write(() => {
        throw new Error('at once')
      })
      expect(await outcome(work)).toMatchObject({ error: { message: 'at once' } })
      expect(await db.write(async () => 'next')).toBe('next')
    })

    test('a failed job among many does not affect the others', async () => {
      const { db } = temporary
      const jobs = Array.from({ length: 20 }, (_, n) =>
        db.write(async tx => {
          await insertTeam(tx, `batch-${n}`)
          await nextTurn()
          if (n % 5 === 2) throw new Error(`job ${n}`)
          return n
        }),
      )
      const results = await Promise.allSettled(jobs)
      for (const [n, { status }] of results.entries()) {
        const fails = n % 5 === 2
        expect([n, status, await exists(`batch-${n}`)]).toEqual([n, fails ? 'rejected' : 'fulfilled', !fails])
      }
    })

    test('a failed statement rolls back only its own job', async () => {
      const { db } = temporary
      const [before, doubled, after] = await Promise.allSettled([
        db.write(tx => insertTeam(tx, 'neighbour-1')),
        db.write(async tx => {
          await insertTeam(tx, 'doubled')
          await insertTeam(tx, 'doubled')
        }),
        db.write(tx => insertTeam(tx, 'neighbour-2')),
      ])
      expect([before.status, doubled.status, after.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect([await exists('neighbour-1'), await exists('doubled'), await exists('neighbour-2')]).toEqual([
        true,
        false,
        true,
      ])
    })

    test('a reader never sees an uncommitted write, and the job sees its own', async () => {
      const { db } = temporary
      const { teams } = db.tables
      const inside: boolean[] = []
      const [written, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const committing = db.write(async tx => {
        await insertTeam(tx, 'not-yet')
        inside.push((await tx.select().from(teams).where(eq(teams.id, 'not-yet'))).length === 1)
        written.resolve()
        await asked.promise
      })
      await written.promise
      expect(await exists('not-yet')).toBe(false)
      asked.resolve()
      await committing
      const begun = Promise.withResolvers<void>()
      const failing = outcome(
        db.write(async tx => {
          await insertTeam(tx, 'never')
          begun.resolve()
          await nextTurn()
          throw new Error('never')
        }),
      )
      await begun.promise
      const found = exists('never')
      await failing
      expect(inside).toEqual([true])
      expect(await found).toBe(false)
      expect([await exists('not-yet'), await exists('never')]).toEqual([true, false])
    })

    test('a failed COMMIT fails the job and runs no effect, and the database works afterwards', async () => {
      const { db } = temporary
      const effects: string[] = []
      const reached: string[] = []
      const work = db.write(async tx => {
        tx.afterCommit(() => effects.push('orphan'))
        await insertTeam(tx, 'with-orphan')
        await insertOrphan(tx, 'orphan-1')
        reached.push('the end of the job')
      })
      expect(await outcome(work)).toHaveProperty('error')
      expect([reached, effects]).toEqual([['the end of the job'], []])
      expect(await exists('with-orphan')).toBe(false)
      await db.write(tx => insertTeam(tx, 'after-orphan'))
      expect(await exists('after-orphan')).toBe(true)
    })

    test('all writes of a unit of work have the same time, even when the clock advances', async () => {
      const times = await temporary.db.write(async tx => {
        const first = tx.now()
        clock.advance(1000)
        return [first.getTime(), tx.now().getTime()]
      })
      expect(times).toEqual([KICK_OFF, KICK_OFF])
      expect(await temporary.db.write(async tx => tx.now().getTime())).toBe(KICK_OFF + 1000)
    })
  })

  test(`close() waits for queued units of work, and refuses later ones (${engine.name})`, async () => {
    const clock = createClock()
    const temporary = await engine.open(clock)
    const { db } = temporary
    const finished = new Set<number>()
    const jobs = Array.from({ length: 30 }, (_, n) =>
      db.write(async () => {
        await nextTurn()
        finished.add(n)
        return n
      }),
    )
    const closing = db.close()
    const late = db
      .write(async () => 'late')
      .then(
        () => 'ran',
        () => 'refused',
      )
    await closing
    const results = await Promise.allSettled(jobs)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(30)
    expect(finished.size).toBe(30)
    expect(await late).toBe('refused')
    await temporary.remove()
  })
}
