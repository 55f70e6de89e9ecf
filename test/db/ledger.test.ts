/** The database itself enforces that the ledger is append-only, for every connection. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { createClock } from '../support/clock.ts'
import { engines, type TemporaryDatabase } from '../support/engines.ts'
import { type Row, withRawConnection } from './probe.ts'

for (const engine of engines) {
  describe(`points ledger (${engine.name})`, () => {
    let temporary: TemporaryDatabase

    beforeAll(async () => {
      const clock = createClock()
      temporary = await engine.open(clock)
      const { db } = temporary
      const { users, pointsEntries } = db.tables
      const at = clock.now()
      await db.write(async tx => {
        await tx.insert(users).values({ id: 'u', provider: 'p', subject: 's', createdAt: at, updatedAt: at })
        const entry = { userId: 'u', delta: 5, reason: 'activity', createdAt: at, hash: 'h' }
        await tx.insert(pointsEntries).values([
          { ...entry, id: 'e1', seq: 1, balanceAfter: 5, ref: 'one' },
          { ...entry, id: 'e2', seq: 2, balanceAfter: 10, ref: 'two' },
        ])
      })
    })
    afterAll(() => temporary.remove())

    const raw = (statement: string) => withRawConnection(temporary, run => run(statement))
    const everything = () => raw('SELECT * FROM points_entries ORDER BY seq')

    async function expectRefusal(statement: string) {
      const before = await everything()
      expect(before).toHaveLength(2)
      const refusal = await raw(statement).then(
        (rows: Row[]) => `it ran: ${JSON.stringify(rows)}`,
        (error: Error) => `${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`,
      )
      expect(refusal).toContain('points_entries is append-only')
      expect(await everything()).toEqual(before)
    }

    test('refuses UPDATE of one entry and of all entries on a raw connection', async () => {
      await expectRefusal("UPDATE points_entries SET delta = 500 WHERE id = 'e1'")
      await expectRefusal('UPDATE points_entries SET hash = hash')
    })

    test('refuses DELETE of one entry and of all entries on a raw connection', async () => {
      await expectRefusal("DELETE FROM points_entries WHERE id = 'e2'")
      await expectRefusal('DELETE FROM points_entries')
    })

    test('refuses an upsert that replaces an entry', async () => {
      const columns = 'id, user_id, seq, delta, balance_after, reason, ref, created_at, hash'
      const from = `SELECT ${columns.replace('delta', 'delta + 1')} FROM points_entries WHERE id = 'e1'`
      await expectRefusal(
        `INSERT INTO points_entries (${columns}) ${from} ON CONFLICT (id) DO UPDATE SET delta = 999`,
      )
    })

    test('refuses TRUNCATE, and REPLACE, which deletes without firing triggers', async () => {
      if (temporary.db.engine === 'postgres') {
        await expectRefusal('TRUNCATE points_entries')
        await expectRefusal('TRUNCATE users CASCADE')
        return
      }
      for (const [id, seq, ref] of [
        ['e1', 3, 'three'],
        ['e3', 1, 'three'],
        ['e3', 3, 'one'],
      ]) {
        await expectRefusal(
          `REPLACE INTO points_entries VALUES ('${id}', 'u', ${seq}, 9, 9, 'activity', '${ref}', 0, 'h')`,
        )
      }
    })

    test('refuses a change within a unit of work, and rolls the unit of work back', async () => {
      const { db } = temporary
      const { pointsEntries, users } = db.tables
      const work = db.write(async tx => {
        await tx.update(users).set({ displayName: 'Never' })
        await tx.delete(pointsEntries).where(eq(pointsEntries.id, 'e1'))
      })
      await expect(work).rejects.toThrow()
      expect(await everything()).toHaveLength(2)
      expect((await db.read.select().from(users))[0]?.displayName).toBeNull()
    })

    test('refuses negative balances and deltas of zero', async () => {
      const { db } = temporary
      const { pointsEntries } = db.tables
      const entry = { userId: 'u', seq: 3, reason: 'activity', ref: 'x', createdAt: new Date(0), hash: 'h' }
      for (const [delta, balanceAfter] of [
        [0, 10],
        [-11, -1],
      ] as const) {
        const work = db.write(tx =>
          tx.insert(pointsEntries).values({ ...entry, id: `bad${delta}`, delta, balanceAfter }),
        )
        expect(
          await work.then(
            () => 'written',
            () => 'refused',
          ),
        ).toBe('refused')
      }
      expect(await everything()).toHaveLength(2)
    })
  })
}
