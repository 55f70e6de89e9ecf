/** Changes that a unit of work defers to its end are written once, together with everything else or not at all. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { inArray } from 'drizzle-orm'
import type { Deferred } from '../../db/index.ts'
import { preparedLast } from '../../db/prepared.ts'
import { createClock } from '../support/clock.ts'
import { engines, noServer, postgresEngine, type TemporaryDatabase } from '../support/engines.ts'
import { countsAttempts } from '../support/serializable.ts'
import { waitUntil } from '../support/wait-until.ts'
import { insertTeam, outcome, teamExists, withRawConnection } from './probe.ts'

interface NewTeam {
  id: string
  at: Date
}

const insertLast = preparedLast((tx, { id, at }: NewTeam) =>
  tx
    .insert(tx.tables.teams)
    .values({ id, name: id, shortName: 'TST', active: true, createdAt: at, updatedAt: at }),
)

/** Teams by the statement that inserts them: one that runs at once, or one of the last. */
const newTeams: Deferred<{ atOnce: string[]; last: string[] }> = {
  order: 1,
  start: () => ({ atOnce: [], last: [] }),
  async write(tx, { atOnce, last }) {
    for (const id of atOnce) await insertTeam(tx, id)
    return last.map(id => insertLast(tx, { id, at: tx.now() }))
  },
}

for (const engine of engines) {
  describe(`the end of a unit of work (${engine.name})`, () => {
    let temporary: TemporaryDatabase

    beforeAll(async () => {
      temporary = await engine.open(createClock())
    })
    afterAll(() => temporary.remove())

    const existing = async (...ids: string[]) =>
      (await Promise.all(ids.map(async id => ((await teamExists(temporary.db, id)) ? [id] : [])))).flat()

    test('writes the rows that its parts have collected, after its own statements', async () => {
      const all = ['own', 'collected-1', 'collected-2', 'collected-3']
      const seen = await temporary.db.write(async tx => {
        tx.deferred(newTeams).last.push('collected-1')
        tx.deferred(newTeams).last.push('collected-2')
        tx.deferred(newTeams).atOnce.push('collected-3')
        await insertTeam(tx, 'own')
        const { teams } = tx.tables
        return (await tx.select().from(teams).where(inArray(teams.id, all))).map(({ id }) => id)
      })
      expect(seen).toEqual(['own'])
      expect(await existing(...all)).toEqual(all)
    })

    test.each(['atOnce', 'last'] as const)(
      'rolls back everything when a statement fails (%s), and its error is that of the unit of work',
      async kind => {
        const effects: string[] = []
        const { error } = (await outcome(
          temporary.db.write(async tx => {
            tx.afterCommit(() => effects.push('committed'))
            await insertTeam(tx, `${kind}-own`)
            const deferred = tx.deferred(newTeams)
            deferred.last.push(`${kind}-first`)
            deferred[kind].push(`${kind}-own`)
            deferred.last.push(`${kind}-never`)
          }),
        )) as { error: unknown }
        // Drizzle names the statement, and has the error of the server as the cause.
        const messages = [error, (error as Error).cause].map(String).join()
        expect(messages).toMatch(/unique constraint/i)
        expect(await existing(`${kind}-own`, `${kind}-first`, `${kind}-never`)).toEqual([])
        expect(effects).toEqual([])
        await temporary.db.write(tx => insertTeam(tx, `${kind}-after`))
        expect(await existing(`${kind}-after`)).toEqual([`${kind}-after`])
      },
    )

    test('a unit of work that throws writes none of them', async () => {
      const failure = new Error('at the end')
      const work = temporary.db.write(async tx => {
        tx.deferred(newTeams).last.push('thrown')
        throw failure
      })
      expect(await outcome(work)).toEqual({ error: failure })
      expect(await existing('thrown')).toEqual([])
    })
  })
}

describe.skipIf(noServer !== '')(`the end of a unit of work on a server (PostgreSQL)${noServer}`, () => {
  let temporary: TemporaryDatabase

  beforeAll(async () => {
    temporary = await postgresEngine.open(createClock())
    await withRawConnection(temporary, async run => {
      await run('CREATE SEQUENCE attempts')
      // Sequences are not rolled back: the first two attempts fail.
      await run(`CREATE FUNCTION fail_twice() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
        IF nextval('attempts') < 3 THEN RAISE EXCEPTION 'as asked' USING ERRCODE = '40001'; END IF;
        RETURN NEW; END $$`)
      await run(`CREATE TRIGGER fails BEFORE INSERT ON teams FOR EACH ROW WHEN (NEW.id = 'conflicting')
        EXECUTE FUNCTION fail_twice()`)
    })
  })
  afterAll(() => temporary.remove())

  const counting = test.skipIf(countsAttempts !== '')

  counting(
    `after a conflict of a last statement the unit of work runs again, with nothing collected before${countsAttempts}`,
    async () => {
      const collected: number[] = []
      await temporary.db.write(async tx => {
        const { last } = tx.deferred(newTeams)
        collected.push(last.length)
        last.push('conflicting', 'another')
      })
      expect(collected).toEqual([0, 0, 0])
      expect(await teamExists(temporary.db, 'conflicting')).toBe(true)
      expect(await teamExists(temporary.db, 'another')).toBe(true)
    },
  )

  test('a connection that is lost while a last statement waits commits nothing', async () => {
    const { db } = temporary
    await withRawConnection(temporary, async run => {
      await run('BEGIN')
      await run(`INSERT INTO teams (id, name, short_name, active, created_at, updated_at)
        VALUES ('held', 'held', 'TST', true, now(), now())`)
      const work = outcome(
        db.write(async tx => {
          await insertTeam(tx, 'lost')
          tx.deferred(newTeams).last.push('held')
        }),
      )
      const waiting = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      await waitUntil('the last statement waits', async () => {
        // Else a transaction sees the activity of its first look.
        await run('SELECT pg_stat_clear_snapshot()')
        return (await run(`SELECT 1 ${waiting}`)).length === 1
      })
      await run(`SELECT pg_terminate_backend(pid) ${waiting}`)
      expect(await work).toMatchObject({ error: { fault: 'unreachable' } })
      await run('ROLLBACK')
    })
    expect(await teamExists(db, 'lost')).toBe(false)
    await db.write(tx => insertTeam(tx, 'after'))
    expect(await teamExists(db, 'after')).toBe(true)
  })

  test('refuses parameters that the client could fail to encode', async () => {
    const work = temporary.db.write(async tx => {
      await insertTeam(tx, 'half')
      tx.deferred({ order: 1, start: () => 0, write: async () => [refused] })
    })
    const refused = { query: () => ({ sql: 'SELECT $1', params: [0.5] }), run: async () => [] }
    expect(await outcome(work)).toMatchObject({
      error: { message: expect.stringContaining('text, integers') },
    })
    expect(await teamExists(temporary.db, 'half')).toBe(false)
  })
})
