/** Processes that put fans into tables and close them at the same time, and one that is killed. */
import { beforeEach, expect, test } from 'bun:test'
import { count, like } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'
import { AFTER, addDivision, findWrong, listSeats, WEEK } from './divisions-world.ts'

const FANS = 120
const SIZE = 4

for (const engine of engines) {
  onEngine(
    engine,
    'Processes of divisions',
    world => {
      const ids = Array.from({ length: FANS }, (_, n) => `fan-${String(n).padStart(3, '0')}`)
      beforeEach(async () => {
        await addDivision(world, { size: SIZE })
        await world.db.write(async tx => {
          const { users, leaderboardEntries } = tx.tables
          const at = tx.now()
          const fan = { provider: 'test', createdAt: at, updatedAt: at }
          await insertRows(
            tx,
            users,
            ids.map(id => ({ ...fan, id, subject: id })),
          )
          await insertRows(
            tx,
            leaderboardEntries,
            ids.map(userId => ({ userId, enrolledAt: at })),
          )
        })
      })
      const start = (fans: string[] = []) =>
        Bun.spawn(
          [
            ...commandOf('test/play/divisions/closing-process.ts'),
            ...[world.databaseUrl ?? '', String(world.clock.ms), JSON.stringify(fans)],
          ],
          { cwd: `${import.meta.dir}/../../..`, stdout: 'pipe', stderr: 'pipe' },
        )
      async function finish(child: ReturnType<typeof start>) {
        const [out, err] = await Promise.all([
          new Response(child.stdout).text(),
          new Response(child.stderr).text(),
        ])
        if ((await child.exited) !== 0) throw new Error(err)
        return JSON.parse(out) as { told: number }
      }
      const third = (nth: number) => ids.filter((_, index) => index % 3 === nth)
      const earn = () => Promise.all([0, 1, 2].map(nth => finish(start(third(nth)))))
      async function expectOnce() {
        const seats = await listSeats(world)
        expect(seats).toHaveLength(FANS)
        // One of each table of four has risen, to the next tables of four.
        expect(seats.filter(({ level }) => level === 1)).toHaveLength(FANS / SIZE)
        const { events } = world.db.tables
        const [told] = await world.db.read
          .select({ events: count() })
          .from(events)
          .where(like(events.type, 'division.%'))
        expect(told?.events).toBe(FANS / SIZE)
        expect(await findWrong(world)).toEqual([])
        expect(await finish(start())).toEqual({ told: 0 })
      }

      test('give each fan one seat, and fill each table before the next one', async () => {
        await earn()
        const seats = await listSeats(world)
        expect(seats.map(({ userId }) => userId).toSorted()).toEqual(ids)
        const expected = ids.map((_, index) => [Math.floor(index / SIZE) + 1, (index % SIZE) + 1])
        expect(seats.map(({ number, seat }) => [number, seat])).toEqual(expected)
        expect(await findWrong(world)).toEqual([])
      })

      test('close each table once, and tell each result once', async () => {
        await earn()
        world.clock.advance(WEEK + AFTER)
        await Promise.all([start(), start(), start()].map(child => finish(child)))
        await expectOnce()
      })

      test('continue where one was killed', async () => {
        await earn()
        world.clock.advance(WEEK + AFTER)
        const child = start()
        await waitUntil('a table is closed', async () =>
          (await listSeats(world)).some(({ result }) => result !== null),
        )
        child.kill('SIGKILL')
        await child.exited
        await Promise.all([start(), start()].map(child => finish(child)))
        await expectOnce()
      })
    },
    { worldPer: 'test' },
  )
}
