/** Boundaries of a unit of work: effects after the commit, nesting, and use after the end. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Reader, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { createClock } from '../support/clock.ts'
import { engines, type TemporaryDatabase } from '../support/engines.ts'
import { nextTurn } from '../support/wait-until.ts'
import { insertTeam, outcome, teamExists } from './probe.ts'

for (const engine of engines) {
  describe(`edges of a unit of work (${engine.name})`, () => {
    let temporary: TemporaryDatabase

    beforeAll(async () => {
      temporary = await engine.open(createClock())
    })
    afterAll(() => temporary.remove())

    const exists = (id: string) => teamExists(temporary.db, id)

    test('effects run after the commit is visible, in order, before the caller continues', async () => {
      const { db } = temporary
      const seen: unknown[] = []
      await db.write(async tx => {
        tx.afterCommit(() => seen.push('first'))
        await insertTeam(tx, 'told')
        tx.afterCommit(() => seen.push(exists('told')))
        expect(seen).toEqual([])
      })
      expect(seen).toHaveLength(2)
      expect(await Promise.all(seen)).toEqual(['first', true])
    })

    test('effects of a failed job never run', async () => {
      const effects: string[] = []
      const work = temporary.db.write(async tx => {
        tx.afterCommit(() => effects.push('told'))
        await insertTeam(tx, 'untold')
        throw new Error('rolled back')
      })
      expect(await outcome(work)).toMatchObject({ error: { message: 'rolled back' } })
      await temporary.db.write(async () => {})
      expect(effects).toEqual([])
    })

    test('an effect that throws fails only its own caller, and the database continues', async () => {
      const { db } = temporary
      const [bad, good] = await Promise.all([
        outcome(
          db.write(async tx => {
            await insertTeam(tx, 'bad-effect')
            tx.afterCommit(() => {
              throw new Error('an effect must not throw')
            })
          }),
        ),
        outcome(db.write(async () => 'good')),
      ])
      expect(bad).toMatchObject({ error: { message: 'an effect must not throw' } })
      expect(good).toEqual({ value: 'good' })
      expect(await db.write(async () => 'next')).toBe('next')
      expect(await exists('bad-effect')).toBe(true)
    })

    test('an effect may write, since it runs outside the unit of work', async () => {
      const { db } = temporary
      const writes: Promise<unknown>[] = []
      await db.write(async tx => {
        tx.afterCommit(() => writes.push(db.write(inner => insertTeam(inner, 'by-effect'))))
      })
      expect(writes).toHaveLength(1)
      await Promise.all(writes)
      expect(await exists('by-effect')).toBe(true)
    })

    test('write within write fails with an error that names the solution, and writes nothing', async () => {
      const { db } = temporary
      const work = db.write(async tx => {
        await insertTeam(tx, 'outer')
        await nextTurn()
        await db.write(inner => insertTeam(inner, 'inner'))
      })
      expect(await outcome(work)).toMatchObject({
        error: { message: 'write() within write(): pass the transaction on instead' },
      })
      expect([await exists('outer'), await exists('inner')]).toEqual([false, false])
    })

    test('write within write rejects rather than throws, so that a job can catch it and continue', async () => {
      const { db } = temporary
      const refused: unknown[] = []
      await db.write(async tx => {
        await db.write(async () => 'inner').catch(error => refused.push(error))
        await insertTeam(tx, 'went-on')
      })
      expect(refused).toHaveLength(1)
      expect(await exists('went-on')).toBe(true)
    })

    test('db.read throws within a unit of work, and works again after it and in its effects', async () => {
      const { db } = temporary
      const { teams } = db.tables
      const readTeams = prepared((reader: Reader) => reader.select({ id: teams.id }).from(teams))
      const cte = db.read.$with('found').as(db.read.select({ id: teams.id }).from(teams))
      const reads: (() => PromiseLike<unknown>)[] = [
        () => db.read.select().from(teams),
        () => db.read.selectDistinct({ id: teams.id }).from(teams),
        () => db.read.with(cte).select().from(cte),
        () => readTeams(db.read),
        () => exists('read'),
      ]
      await db.write(tx => insertTeam(tx, 'read'))
      const within = await Promise.all(
        reads.map(read =>
          outcome(
            db.write(async tx => {
              await insertTeam(tx, 'not-read')
              return read()
            }),
          ),
        ),
      )
      const error = new Error('db.read within write(): pass the transaction on instead')
      expect(within).toEqual(reads.map(() => ({ error })))
      expect(await exists('not-read')).toBe(false)
      for (const read of reads) expect(await outcome(Promise.try(read))).toHaveProperty('value')

      const found = Promise.withResolvers<boolean>()
      await db.write(async tx => tx.afterCommit(() => found.resolve(exists('read'))))
      expect(await found.promise).toBe(true)
    })

    test('a transaction that is used after its job has ended writes nothing', async () => {
      const { db } = temporary
      const kept: Transaction[] = []
      await db.write(async tx => {
        kept.push(tx)
      })
      const [stale] = kept
      if (!stale) throw new Error('no transaction was kept')
      expect(await outcome((async () => insertTeam(stale, 'stale'))())).toHaveProperty('error')
      expect(await exists('stale')).toBe(false)
    })

    test('unfinished queries of a failed job do not run in another job', async () => {
      const { db } = temporary
      const straggling: Promise<unknown>[] = []
      const failing = outcome(
        db.write(async tx => {
          straggling.push(
            outcome(
              (async () => {
                for (let n = 0; n < 50; n++) {
                  await nextTurn()
                  await insertTeam(tx, `straggler-${n}`)
                }
              })(),
            ),
          )
          throw new Error('gave up early')
        }),
      )
      const neighbour = db.write(async tx => {
        await nextTurn()
        await insertTeam(tx, 'good-neighbour')
      })
      expect(await failing).toMatchObject({ error: { message: 'gave up early' } })
      await neighbour
      expect(await Promise.all(straggling)).toMatchObject([{ error: {} }])
      expect([await exists('straggler-0'), await exists('good-neighbour')]).toEqual([false, true])
    })
  })
}
