/** Limits and budgets that two processes use at the same time. */
import { expect, test } from 'bun:test'
import { like } from 'drizzle-orm'
import { readVersion } from '../../../src/club/catalogue/versions.ts'
import type { Decision } from '../../../src/economy/rules/decision.ts'
import { withRawConnection } from '../../db/probe.ts'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { onEngine } from '../../support/world.ts'
import { addFan, addRule, applyRules, newEvent, spentOf, usesOf } from './rules-world.ts'

const EVENTS = 60

for (const engine of engines) {
  onEngine(engine, 'Two processes that evaluate events', world => {
    /** The decisions of both processes, each about the same number of events. */
    async function evaluate(type: string, userIds: string[]): Promise<Decision[]> {
      const children = ['left', 'right'].map(name =>
        Bun.spawn(
          [
            ...commandOf('test/economy/rules/evaluating-process.ts'),
            world.databaseUrl ?? '',
            name,
            String(EVENTS),
            type,
            ...userIds,
          ],
          { cwd: `${import.meta.dir}/../../..`, stdout: 'pipe', stderr: 'pipe' },
        ),
      )
      const decided = await Promise.all(
        children.map(async child => {
          const [out, err] = await Promise.all([
            new Response(child.stdout).text(),
            new Response(child.stderr).text(),
          ])
          if ((await child.exited) !== 0) throw new Error(err)
          return JSON.parse(out) as Decision[]
        }),
      )
      return decided.flat()
    }

    const count = (decisions: Decision[], outcome: Decision['outcome']) =>
      decisions.filter(decision => decision.outcome === outcome).length

    async function entriesOfRule(ruleId: string) {
      const { pointsEntries: entries } = world.db.tables
      return world.db.read
        .select()
        .from(entries)
        .where(like(entries.ref, `${ruleId}:%`))
    }

    test('grant one fan as often as the limit allows', async () => {
      const { id, eventType } = await addRule(world, { limit: { count: 7, per: 'day' } })
      const userId = await addFan(world)
      const decisions = await evaluate(eventType, [userId])
      expect([count(decisions, 'granted'), count(decisions, 'limit')]).toEqual([7, 2 * EVENTS - 7])
      expect(await usesOf(world, id)).toEqual({ [`${userId} 2026-08-15`]: 7 })
      expect(await entriesOfRule(id)).toHaveLength(7)
    })

    test('grant all fans together as much as the budget holds', async () => {
      const { id, eventType } = await addRule(world, { budget: 245, limit: { count: 5, per: 'ever' } })
      const userIds = await Promise.all(Array.from({ length: 10 }, () => addFan(world)))
      const decisions = await evaluate(eventType, userIds)
      expect(count(decisions, 'granted')).toBe(24)
      expect(await spentOf(world, id)).toBe(240)
      const entries = await entriesOfRule(id)
      expect(entries.reduce((sum, { delta }) => sum + delta, 0)).toBe(240)
      // A grant that the budget refused does not count towards the limit.
      const uses = Object.values(await usesOf(world, id)).reduce((sum, used) => sum + used, 0)
      expect(uses).toBe(24)
    })

    if (engine.name === 'PostgreSQL')
      test('an event whose budget is spent before its commit is evaluated again', async () => {
        const { id, eventType } = await addRule(world, { budget: 15 })
        const event = newEvent({ userId: await addFan(world), type: eventType })
        const outcomes: (string | undefined)[] = []
        const temporary = { db: world.db, url: world.databaseUrl ?? '' }
        await world.db.write(async tx => {
          const version = await readVersion(tx)
          const [decision] = (version && (await applyRules(tx, event, version))) ?? []
          outcomes.push(decision?.outcome)
          await withRawConnection(temporary, run =>
            run(`INSERT INTO rule_budgets VALUES ('${id}', 10) ON CONFLICT DO NOTHING`),
          )
        })
        expect([outcomes[0], outcomes.at(-1)]).toEqual(['granted', 'budget'])
        expect(await spentOf(world, id)).toBe(10)
        expect(await entriesOfRule(id)).toEqual([])
      })

    test('events of one unit of work share the rest of the budget', async () => {
      const { id, eventType } = await addRule(world, { budget: 25 })
      const userId = await addFan(world)
      const outcomes = await world.db.write(async tx => {
        const version = await readVersion(tx)
        const decided: (string | undefined)[] = []
        for (let n = 0; version && n < 4; n++)
          decided.push((await applyRules(tx, newEvent({ userId, type: eventType }), version))?.[0]?.outcome)
        return decided
      })
      expect(outcomes).toEqual(['granted', 'granted', 'budget', 'budget'])
      expect(await spentOf(world, id)).toBe(20)
      expect(await entriesOfRule(id)).toHaveLength(2)
    })
  })
}
