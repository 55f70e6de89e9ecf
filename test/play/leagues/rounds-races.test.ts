/** Processes that draw and close rounds at the same time, and one that is killed. */
import { expect, test } from 'bun:test'
import { count, eq, isNotNull } from 'drizzle-orm'
import { countRows } from '../../../db/pages.ts'
import { findWrongLeagues, findWrongRounds } from '../../../src/audit/play/verify-leagues.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'
import { create, earn, join } from './leagues-world.ts'

const LEAGUES = 4
const MEMBERS = 3

for (const engine of engines) {
  onEngine(
    engine,
    'Processes that advance leagues',
    world => {
      const start = () =>
        Bun.spawn(
          [
            ...commandOf('test/play/leagues/advancing-process.ts'),
            ...[world.databaseUrl ?? '', String(world.clock.ms)],
          ],
          { cwd: `${import.meta.dir}/../../..`, stdout: 'pipe', stderr: 'pipe' },
        )
      async function finish(child: ReturnType<typeof start>) {
        const [out, err] = await Promise.all([
          new Response(child.stdout).text(),
          new Response(child.stderr).text(),
        ])
        if ((await child.exited) !== 0) throw new Error(err)
        return JSON.parse(out) as { steps: number; told: number }
      }
      /** Leagues with rounds of ten weeks. */
      async function due() {
        const fans: NamedFan[] = []
        for (let n = 0; n < MEMBERS; n++) {
          const fan = await namedFan(world)
          await fan.put('/api/user/leaderboard-membership')
          fans.push(fan)
        }
        const [owner, ...others] = fans
        if (!owner) throw new Error('no fan')
        for (let n = 0; n < LEAGUES; n++) {
          const { code } = await create(owner, { format: 'head_to_head' })
          for (const fan of others) await join(fan, code)
        }
        world.clock.advance(9 * 86_400_000)
        for (const [n, { id }] of fans.entries()) await earn(world, id, n + 1)
        world.clock.advance(70 * 86_400_000)
      }
      const countClosed = () => {
        const { leagueRounds } = world.db.tables
        return countRows(world.db.read, leagueRounds, isNotNull(leagueRounds.closedAt))
      }
      async function expectOnce() {
        const closed = await countClosed()
        expect(closed).toBeGreaterThan(LEAGUES)
        expect(await findWrongLeagues(world.db.read)).toEqual([])
        expect(await findWrongRounds(world.db.read)).toEqual([])
        const { events } = world.db.tables
        const [told] = await world.db.read
          .select({ events: count() })
          .from(events)
          .where(eq(events.type, 'league.round_closed'))
        expect(told?.events).toBe(closed * MEMBERS)
        expect(await finish(start())).toEqual({ steps: 0, told: 0 })
      }

      test('close each round once, and tell each result once', async () => {
        await due()
        await Promise.all([start(), start(), start()].map(finish))
        await expectOnce()
      })

      test('continue where one was killed', async () => {
        await due()
        const child = start()
        await waitUntil('three rounds are closed', async () => (await countClosed()) >= 3)
        child.kill('SIGKILL')
        await child.exited
        await Promise.all([start(), start()].map(finish))
        await expectOnce()
      })
    },
    { worldPer: 'test' },
  )
}
