/**
 * Random seasons of fans in accounts: entries late and on time, voids across the end of a season, corrected entries, grants, merges,
 * erasures, and tasks by the clock. Totals, tiers, told events and earlier lists equal those of a plain model.
 */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { DomainError } from '../../../src/core/problems.ts'
import { findWrongAccounts } from '../../../src/economy/accounts/audit.ts'
import { readFanTiers } from '../../../src/economy/accounts/fan-tiers.ts'
import { settleAccounts } from '../../../src/economy/accounts/settle.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { voidEvent } from '../../../src/economy/events/void-event.ts'
import { grantPoints } from '../../../src/economy/points/grants.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { priorityParts } from '../../../src/fan/status/priority.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { KICK_OFF } from '../../support/clock.ts'
import { onEachEngine } from '../../support/world.ts'
import { addAccount, addAccountRule, addSeasons, DAY, endAccountRule } from './accounts-world.ts'
import { bestTier, ModelAccount, stateAfter, TIERS, toldChanges } from './model.ts'

const FANS = 4
const WINDOWS = [{ seasons: 1 }, { seasons: 2 }, null]

const fan = fc.nat(FANS - 1)
const account = fc.nat(WINDOWS.length - 1)
const points = fc.constantFrom(1, 20, 60, 100, 150, 250)
/** The current season began ten days ago, and seasons have a hundred days. */
const daysAgo = fc.constantFrom(0, 0, 0, 5, 20, 115, 230)
const change = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('earn' as const), fan, account, points, daysAgo }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('void' as const), nth: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('correct' as const), nth: fc.nat(30), points }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ kind: fc.constant('grant' as const), fan, account },
      delta: fc.constantFrom(-120, -30, 30, 120),
      repeats: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('merge' as const), from: fan, into: fan }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), fan }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('list' as const), account }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      days: fc.constantFrom(0, 1, 4, 9, 30, 70, 91),
    }),
  },
)
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

/** Two seasons end before the task runs: the days of grace of the first are over. */
const TWO_ENDS: Change[] = [
  { kind: 'earn', fan: 0, account: 0, points: 250, daysAgo: 0 },
  ...([91, 91, 9] as const).map(days => ({ kind: 'wait' as const, days })),
]

interface Happened {
  eventId: string
  /** Of the model, when it happened: a merge moves what it earned. */
  fan: number
  account: number
  daysAt: number
  isVoided: boolean
}

onEachEngine('Random seasons of accounts', world => {
  let runs = 0
  const start = KICK_OFF

  async function play(changes: Change[]) {
    const { db, clock } = world
    const run = ++runs
    clock.set(start + run - clock.ms)
    const ends = await seasonEnds()
    const accounts = await Promise.all(
      WINDOWS.map(async (window, n) => {
        const id = await addAccount(world, { id: `run-${run}-${n}`, window, tiers: TIERS })
        return { id, window, type: await addAccountRule(world, id) }
      }),
    )
    const fans = await Promise.all(
      Array.from({ length: FANS }, async (_, n) => {
        const who = { provider: 'p', subject: `run-${run}-fan-${n}` }
        const userId = await db.write(async tx => (await ensureUser(tx, who)).user.id)
        return {
          userId,
          isErased: false,
          into: null as number | null,
          accounts: WINDOWS.map(() => new ModelAccount()),
        }
      }),
    )
    const rootOf = (n: number): number => {
      const into = fans[n]?.into
      return into === null || into === undefined ? n : rootOf(into)
    }
    const of = (n: number) => fans[rootOf(n)] as (typeof fans)[number]
    const events: Happened[] = []
    const lists: { account: number; asOf: Date; entries: unknown[] }[] = []
    const listed = async (n: number, asOf: Date) =>
      Array.fromAsync(priorityParts(db.read, { account: accounts[n]?.id ?? '', asOf })).then(parts =>
        parts.flat(),
      )

    async function earn(n: number, target: number, amount: number, at: number) {
      const eventId = `run-${run}-event-${events.length}`
      const { userId } = of(n)
      const { type } = accounts[target] as (typeof accounts)[number]
      await db.write(tx =>
        writeEvent(tx, {
          ...{ source: 'gate', eventId, userId, type },
          ...{ occurredAt: new Date(at), data: { points: amount } },
        }),
      )
      of(n).accounts[target]?.earn(eventId, amount, at)
      events.push({ eventId, fan: n, account: target, daysAt: at, isVoided: false })
    }

    async function takeBack(event: Happened) {
      await db.write(tx => voidEvent(tx, { source: 'gate', eventId: event.eventId }))
      if (!event.isVoided) of(event.fan).accounts[event.account]?.takeBack(event.eventId)
      event.isVoided = true
    }

    for (const change of changes) {
      // No two units of work have the same time, so that a list has an instant.
      clock.advance(1_000)
      if (change.kind === 'wait') clock.advance(change.days * DAY)
      else if (change.kind === 'settle') await settleAccounts(world)
      else if (change.kind === 'earn') {
        if (of(change.fan).isErased) continue
        await earn(change.fan, change.account, change.points, clock.ms - change.daysAgo * DAY)
      } else if (change.kind === 'void' || change.kind === 'correct') {
        const event = events[change.nth % Math.max(events.length, 1)]
        if (!event || of(event.fan).isErased) continue
        await takeBack(event)
        if (change.kind === 'correct') await earn(event.fan, event.account, change.points, event.daysAt)
      } else if (change.kind === 'grant') {
        const { userId, isErased, accounts: own } = of(change.fan)
        if (isErased) continue
        const model = own[change.account] as ModelAccount
        const ref = `run-${run}-grant-${clock.ms}`
        const grant = {
          fan: { userId },
          delta: change.delta,
          ref,
          account: accounts[change.account]?.id ?? '',
        }
        const give = () => db.write(tx => grantPoints(tx, { source: 'desk', provider: '' }, grant))
        if (model.balance + change.delta < 0) {
          await expect(give()).rejects.toBeInstanceOf(DomainError)
          continue
        }
        expect((await give()).created).toBe(true)
        model.earn(ref, change.delta, clock.ms)
        if (change.repeats) {
          clock.advance(20 * DAY)
          expect(await give()).toMatchObject({ created: false, balance: model.balance })
        }
      } else if (change.kind === 'merge') {
        const [from, into] = [rootOf(change.from), rootOf(change.into)]
        const [merged, kept] = [of(from), of(into)]
        if (from === into || merged.isErased || kept.isErased) continue
        const request = { from: merged.userId, into: kept.userId, mergedBy: 'Ana', reason: null }
        await db.write(tx => mergeFans(tx, request))
        for (const [n, account] of kept.accounts.entries()) account.carry(merged.accounts[n])
        merged.into = into
      } else if (change.kind === 'erase') {
        const erased = of(change.fan)
        if (!erased.isErased) await db.write(tx => eraseUser(tx, { id: erased.userId }))
        erased.isErased = true
      } else {
        const asOf = new Date(clock.ms)
        lists.push({ account: change.account, asOf, entries: await listed(change.account, asOf) })
      }
    }

    clock.advance(1_000)
    const stored = async (userId: string) => {
      const tiers = await readFanTiers(db.read, userId)
      return accounts.map(({ id }) => {
        const found = tiers.find(({ account }) => account.id === id)
        return [found?.total, found?.held.tierId ?? null]
      })
    }
    const expected = (n: number) =>
      accounts.map(({ window }, index) => {
        const model = fans[n]?.accounts[index] as ModelAccount
        // What a merged fan had is carried over.
        const own = fans[n]?.into === null ? model : new ModelAccount()
        return [own.total(ends, window, clock.ms), bestTier(own, ends, window, clock.ms)]
      })
    const check = async () => {
      for (const [n, { userId }] of fans.entries()) {
        expect(await stored(userId)).toEqual(expected(n))
        expect(await findWrongAccounts(db.read, { only: userId })).toEqual([])
      }
    }
    // As responses show it, before the task has run, and after it.
    await check()
    await settleAccounts(world)
    await settleAccounts(world)
    await check()

    const shown = new Set(
      fans.flatMap(({ userId, into, isErased }) => (into === null && !isErased ? [userId] : [])),
    )
    const ofShown = (entries: unknown[]) =>
      (entries as { userId: string }[]).filter(({ userId }) => shown.has(userId))
    for (const { account, asOf, entries } of lists)
      expect(ofShown(await listed(account, asOf))).toEqual(ofShown(entries))
    for (const [index, { id }] of accounts.entries())
      for (const [n, { userId }] of fans.entries()) {
        if (of(n).isErased) continue
        const told = await toldChanges(db.read, userId, id)
        expect(stateAfter(told)).toEqual((expected(n)[index] as [number, string | null])[1])
      }
    for (const { id, window, type } of accounts) {
      await endAccountRule(world, type)
      await addAccount(world, { id, window, tiers: TIERS, active: false })
    }
  }

  /** Of the seasons, which this adds once. */
  async function seasonEnds(): Promise<number[]> {
    const { seasons } = world.db.tables
    if ((await world.db.read.select().from(seasons)).length === 0)
      await addSeasons(world, ['one', 'two', 'three', 'four', 'five'])
    return (await world.db.read.select().from(seasons))
      .map(({ endsAt }) => endsAt.getTime())
      .toSorted((a, b) => a - b)
  }

  test('totals, tiers, told changes and earlier lists are those of the model, and the audit finds nothing', async () => {
    await fc.assert(fc.asyncProperty(fc.array(change, { minLength: 10, maxLength: 40 }), play), {
      numRuns: 20,
      examples: [[TWO_ENDS]],
    })
  }, 300_000)
})
