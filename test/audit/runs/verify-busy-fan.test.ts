/** A fan who changes all the time is checked as of one moment. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Database, Reader } from '../../../db/index.ts'
import { checkFan } from '../../../src/audit/points/verify-points.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { joinLeaderboard } from '../../../src/economy/points/join-leaderboard.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { withoutRules } from '../../db/probe.ts'
import { addRule } from '../../economy/rules/rules-world.ts'
import { addQuest, happen } from '../../play/quests/quests-world.ts'
import { createClock } from '../../support/clock.ts'
import { engines } from '../../support/engines.ts'
import { onEachEngine, type World } from '../../support/world.ts'

const MINUTE = 60_000
const WEEK = 7 * 86_400_000

/** A reader that runs its queries one at a time, and awaits `work` before each. */
function beforeEachRead(reader: Reader, work: () => Promise<unknown>): Reader {
  let last: Promise<unknown> = Promise.resolve()
  const wrap = <T extends object>(object: T): T =>
    new Proxy(object, {
      get(target, name) {
        const member = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        if (name === 'then')
          return (...given: unknown[]) => {
            last = last.then(work).then(() => member.apply(target, given))
            return last
          }
        return (...given: unknown[]) => {
          const value = member.apply(target, given)
          return typeof value?.then === 'function' || typeof value?.from === 'function' ? wrap(value) : value
        }
      },
    })
  return wrap(reader)
}

test.each(engines)(
  'only what is wrong is found in a fan who earns points before every read ($name)',
  async engine => {
    const clock = createClock()
    const temporary = await engine.open(clock)
    const { db } = temporary
    const at = clock.now()
    await db.write(async tx => {
      await tx
        .insert(tx.tables.users)
        .values({ id: 'ada', provider: 'p', subject: 'ada', createdAt: at, updatedAt: at })
      await joinLeaderboard(tx, 'ada')
    })
    let entries = 0
    const reader = beforeEachRead(db.read, async () => {
      // The first ones each on a new board.
      if (++entries < 10) clock.advance(WEEK)
      const change = { userId: 'ada', delta: 5, reason: 'activity' as const, ref: `${entries}` }
      await db.write(tx => appendEntry(tx, change))
    })
    const check = async () => (await checkFan(reader, 'ada')).findings.map(({ what }) => what)
    for (let checks = 0; checks < 6; checks++) expect(await check()).toEqual([])
    await withoutRules(temporary, async run => {
      await run("UPDATE leaderboard_entries SET hash = 'x' WHERE user_id = 'ada'")
    })
    expect(await check()).toEqual(['leaderboard_entries.hash'])
    await temporary.remove()
  },
)

/** The database, which changes before each read of it. Nothing can change during a snapshot of PGlite, which has one connection. */
function changing({ db, databaseUrl }: World, work: () => Promise<unknown>): Database {
  return {
    ...db,
    read: beforeEachRead(db.read, work),
    snapshot: reading =>
      db.snapshot(read => reading(databaseUrl === null ? read : beforeEachRead(read, work))),
  }
}

onEachEngine(
  'The verification of a fan who does something before every read',
  world => {
    test('finds only what is wrong in their quests', async () => {
      const fan = await world.fan()
      const { type } = await addQuest(world, { steps: [{ target: 1_000 }] })
      world.clock.advance(2 * MINUTE)
      await happen(world, fan, type)
      const db = changing(world, () => happen(world, fan, type))
      const find = async () => {
        const found: string[] = []
        await verifyQuests(db, { onFinding: ({ what }) => void found.push(what) })
        return found
      }
      for (let checks = 0; checks < 3; checks++) expect(await find()).toEqual([])
      const { questProgress } = db.tables
      await db.write(tx => tx.update(questProgress).set({ counts: '{"step-1":500}' }))
      expect(await find()).toEqual(['quest_progress.counts of step-1'])
    })

    test('finds only what is wrong in limits and budgets', async () => {
      const fan = await world.fan()
      const { id, eventType } = await addRule(world, {
        points: { fixed: 1 },
        limit: { count: 1_000, per: 'day' },
        budget: 1_000,
      })
      await happen(world, fan, eventType)
      const db = changing(world, () => happen(world, fan, eventType))
      const find = async () => {
        const found: string[] = []
        await verifyLedger(db, { onFinding: ({ what }) => void found.push(what) })
        return found
      }
      for (let checks = 0; checks < 3; checks++) expect(await find()).toEqual([])
      const { ruleBudgets, ruleUses } = db.tables
      await db.write(async tx => {
        await tx.update(ruleBudgets).set({ granted: 500 }).where(eq(ruleBudgets.ruleId, id))
        await tx.update(ruleUses).set({ uses: 500 }).where(eq(ruleUses.ruleId, id))
      })
      expect(await find()).toEqual([
        expect.stringContaining(`rule_uses.uses of ${id}`),
        `rule_budgets.granted of ${id}`,
      ])
    })
  },
  { worldPer: 'test' },
)
