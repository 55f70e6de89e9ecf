/** A fan who changes all the time is checked as of one moment. */
import { expect, test } from 'bun:test'
import type { Reader } from '../../db/index.ts'
import { checkFan } from '../../src/admin/audit/verify-ledger.ts'
import { joinLeaderboard } from '../../src/points/join-leaderboard.ts'
import { appendEntry } from '../../src/points/ledger.ts'
import { withoutRules } from '../db/probe.ts'
import { createClock } from '../support/clock.ts'
import { engines } from '../support/engines.ts'

const WEEK = 7 * 86_400_000

/** A reader that awaits `work` before it runs a query. */
function beforeEachRead(reader: Reader, work: () => Promise<unknown>): Reader {
  const wrap = <T extends object>(object: T): T =>
    new Proxy(object, {
      get(target, name) {
        const member = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        if (name === 'then')
          return async (...given: unknown[]) => {
            await work()
            return member.apply(target, given)
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
