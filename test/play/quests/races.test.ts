/** Quests that two processes move at the same time. */
import { expect, test } from 'bun:test'
import { and, eq, sql } from 'drizzle-orm'
import { lockAccount } from '../../../src/economy/points/account.ts'
import { lockToCount } from '../../../src/identity/users/locks.ts'
import { claimQuest } from '../../../src/play/quests/claim.ts'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { type Fan, onEngine } from '../../support/world.ts'
import { addQuest, happen, ownEvents, progressRows, read, userIdOf } from './quests-world.ts'

const TIMES = 40

for (const engine of engines) {
  onEngine(engine, 'Two processes that move the same quest', world => {
    /** The results of both processes, `TIMES` each. */
    async function race(fan: Fan, action: 'record' | 'claim', what: string): Promise<string[]> {
      const userId = await userIdOf(world, fan)
      const children = [1, 2].map(() =>
        Bun.spawn(
          [
            ...commandOf('test/play/quests/racing-process.ts'),
            world.databaseUrl ?? '',
            ...[userId, action, what, String(TIMES)],
          ],
          { cwd: `${import.meta.dir}/../../..`, stdout: 'pipe', stderr: 'pipe' },
        ),
      )
      const done = await Promise.all(
        children.map(async child => {
          const [out, err] = await Promise.all([
            new Response(child.stdout).text(),
            new Response(child.stderr).text(),
          ])
          if ((await child.exited) !== 0) throw new Error(err)
          return JSON.parse(out) as string[]
        }),
      )
      return done.flat()
    }

    const countOf = (outcomes: string[], outcome: string) =>
      outcomes.filter(known => known === outcome).length

    async function entriesOf(fan: Fan) {
      const { pointsEntries } = world.db.tables
      const userId = await userIdOf(world, fan)
      return world.db.read
        .select()
        .from(pointsEntries)
        .where(and(eq(pointsEntries.userId, userId), eq(pointsEntries.reason, 'quest')))
    }

    test('count each event once, and complete and grant once', async () => {
      const fan = await world.fan()
      const [full, open] = [
        { period: 'day' as const, steps: [{ target: TIMES - 5 }], reward: { points: 7 } },
        { steps: [{ target: TIMES + 1 }] },
      ]
      const quest = await addQuest(world, full)
      const other = await addQuest(world, {
        ...open,
        steps: [{ target: TIMES + 1, eventType: quest.type }],
      })
      const outcomes = await race(fan, 'record', quest.type)
      expect([countOf(outcomes, 'recorded'), countOf(outcomes, 'duplicate')]).toEqual([TIMES, TIMES])
      expect((await progressRows(world, fan, other.id))[0]?.counts).toBe(`{"step-1":${TIMES}}`)
      expect(await read(fan, quest)).toMatchObject({ state: 'claimed', given: { points: 7 } })
      expect(await entriesOf(fan)).toMatchObject([{ delta: 7, ref: `${quest.id}:2026-08-15` }])
      expect(await ownEvents(world, fan, 'quest.completed')).toHaveLength(1)
    })

    test('claim a completed period once', async () => {
      const fan = await world.fan()
      const rewardId = await world.reward({ stockRemaining: 2 })
      const quest = await addQuest(world, { claim: 'manual', reward: { points: 9, rewardId } })
      await happen(world, fan, quest.type)
      const outcomes = await race(fan, 'claim', quest.id)
      expect([countOf(outcomes, 'claimed'), countOf(outcomes, 'already_claimed')]).toEqual([1, 2 * TIMES - 1])
      expect(await entriesOf(fan)).toMatchObject([{ delta: 9 }])
      expect((await fan.get('/api/user/rewards')).body.rewards).toMatchObject([{ stockRemaining: 1 }])
    })

    test.skipIf(engine.name !== 'PostgreSQL')(
      'a claim locks what decides who may claim before the ledger, as a checkout does',
      async () => {
        const fan = await world.fan()
        const userId = await userIdOf(world, fan)
        const quest = await addQuest(world, {
          claim: 'manual',
          reward: { points: 9 },
          requires: { notCountries: ['PT'] },
        })
        await fan.patch('/api/user/profile', { country: 'GB' })
        await happen(world, fan, quest.type)
        const attempts = { other: 0, claim: 0 }
        const [locked, waits] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const other = world.db.write(async tx => {
          attempts.other++
          await lockToCount(tx, userId)
          locked.resolve()
          await waits.promise
          await lockAccount(tx, userId)
        })
        await locked.promise
        const claim = world.db.write(tx => {
          attempts.claim++
          return claimQuest(tx, { provider: '', subject: '', userId, isNew: false }, { questId: quest.id })
        })
        await waitUntil('the claim waits for a lock', async () => {
          const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
          return (await world.db.read.select().from(sql`(${waiting}) as waiting`)).length > 0
        })
        waits.resolve()
        await Promise.all([other, claim])
        expect(attempts).toEqual({ other: 1, claim: 1 })
        expect(await entriesOf(fan)).toMatchObject([{ delta: 9 }])
      },
    )
  })
}
