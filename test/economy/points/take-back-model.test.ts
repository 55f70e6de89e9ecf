/** Random earnings, grants, predictions, voids, spending, ends of points, enrolments and waits: the stored scores equal the audit's and a plain model's. */

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkFan } from '../../../src/audit/points/verify-points.ts'
import { expireBatch } from '../../../src/economy/expiry/expire-points.ts'
import { boardsAt } from '../../../src/economy/leaderboard/boards.ts'
import { listBoards } from '../../../src/economy/leaderboard/rank-index/entries.ts'
import { findWrongBuckets } from '../../../src/economy/leaderboard/rank-index/verify.ts'
import { readRankedEntry } from '../../../src/economy/leaderboard/ranked-entry.ts'
import { readBalance } from '../../../src/economy/points/account.ts'
import { addMembership, removeMembership } from '../../../src/economy/points/join-leaderboard.ts'
import { appendEntry, openLedgers, takeBack } from '../../../src/economy/points/ledger.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { KICK_OFF } from '../../support/clock.ts'
import { onEachEngine } from '../../support/world.ts'

const FANS = 3
const DAY = 86_400_000
/** Points end after as many days. */
const LASTING_DAYS = 33
const WARNING = 30 * DAY
/** A board is final this long after its end. */
const SETTLED = 60_000

const midnight = (ms: number) => ms - (ms % DAY)

interface Earning {
  ref: string
  /** Only grants and predictions can be taken back. */
  reason: 'rule' | 'prediction' | 'activity'
  /** Of a prediction. */
  season: string
  at: number
  points: number
  taken: { points: number; at: number } | null
}

/** A fan as a list of earnings: nothing is summed up before it is asked for. */
class ModelFan {
  earnings: Earning[] = []
  spent = 0
  expired = 0
  enrolledAt: number | null = null

  get lifetime() {
    return this.earnings.reduce((sum, { points, taken }) => sum + points - (taken?.points ?? 0), 0)
  }
  get balance() {
    return this.lifetime - this.spent - this.expired
  }

  /** Points of days that ended before `today`, walked from the oldest on: what has left the balance has left of them. */
  ended(today: number) {
    const left = this.earnings.reduce((sum, { points }) => sum + points, 0) - this.balance
    let [gone, ended] = [left, 0]
    for (const { at, points } of this.earnings.toSorted((a, b) => a.at - b.at)) {
      const taken = Math.min(points, gone)
      gone -= taken
      if (midnight(at) + (LASTING_DAYS + 1) * DAY <= today) ended += points - taken
    }
    return ended
  }

  /** Points and time on each board: those of the earnings that count there, as if the others had never been. */
  scores() {
    const { enrolledAt } = this
    if (enrolledAt === null) return {}
    const scores: Record<string, [points: number, reachedAt: number]> = { all: [0, enrolledAt] }
    for (const { reason, season, points, at, taken } of this.earnings) {
      const own = reason === 'prediction' ? ['predictions', `predictions:${season}`] : []
      const boards = [...boardsAt(new Date(at)), ...own.map(id => ({ id, endsAt: null }))]
      for (const { id, endsAt } of boards) {
        if (endsAt && endsAt.getTime() <= enrolledAt) continue
        const isFinal = endsAt !== null && taken !== null && taken.at >= endsAt.getTime() + SETTLED
        const counted = isFinal ? points : points - (taken?.points ?? 0)
        if (counted === 0) continue
        const [before, reachedAt] = scores[id] ?? [0, 0]
        scores[id] = [before + counted, before === 0 ? at : Math.max(reachedAt, at)]
      }
    }
    return scores
  }
}

const fan = fc.nat(FANS - 1)
const points = fc.constantFrom(1, 1, 2, 100, 255, 256, 65_536)
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('grant' as const), fan, points }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('earn' as const), fan, points }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('predict' as const),
      fan,
      // 0 for a corrected result that earns nothing.
      points: fc.oneof(points, fc.constant(0)),
      corrects: fc.boolean(),
      season: fc.constantFrom('2026', '2027'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('void' as const), fan, nth: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('spend' as const), fan, share: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('expire' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('join' as const), fan }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), fan }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      // Clocks are set back as well. The week ends 29.5 hours after kick-off.
      ms: fc.constantFrom(0, 1, 1000, -5, 59_999, DAY, 29.5 * 3_600_000, 3 * DAY, 8 * DAY, 35 * DAY),
    }),
  },
)
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

onEachEngine('Random grants, voids and ends of points', world => {
  let runs = 0

  async function play(changes: Change[]) {
    const run = ++runs
    world.clock.ms = KICK_OFF + run
    const { db } = world
    const who = (n: number) => ({ provider: 'p', subject: `run-${run}-fan-${n}` })
    const fans = await Promise.all(
      Array.from({ length: FANS }, async (_, n) => {
        const userId = await db.write(async tx => (await ensureUser(tx, who(n))).user.id)
        return { userId, model: new ModelFan() }
      }),
    )
    let refs = 0
    await db.write(tx => tx.delete(tx.tables.pointsExpiry))
    let pass: { since: number; day: number } | undefined
    for (const change of changes) {
      if (change.kind === 'expire') {
        while (await db.write(tx => expireBatch(tx, LASTING_DAYS))) {}
        const today = midnight(world.clock.ms)
        if (pass && pass.day >= today) continue
        pass = { since: pass && today - pass.day <= WARNING ? pass.since : today, day: today }
        if (today >= pass.since + WARNING) for (const { model } of fans) model.expired += model.ended(today)
        continue
      }
      if (change.kind === 'wait') {
        world.clock.advance(change.ms)
        continue
      }
      const { userId, model } = fans[change.fan] as (typeof fans)[number]
      const at = world.clock.ms
      if (change.kind === 'grant' || change.kind === 'earn') {
        const ref = `r-${++refs}`
        const reason = change.kind === 'grant' ? ('rule' as const) : ('activity' as const)
        await db.write(tx => appendEntry(tx, { userId, delta: change.points, reason, ref }))
        model.earnings.push({ ref, reason, season: '', at, points: change.points, taken: null })
      } else if (change.kind === 'predict') {
        const { points: delta, season, corrects } = change
        const [reason, ref] = ['prediction' as const, `m-${++refs}:2:${season}`]
        const before = corrects ? model.earnings.findLast(earning => earning.reason === reason) : undefined
        const taken = await db.write(async tx => {
          const corrected = ['prediction', 'prediction_void'].flatMap(reason =>
            before ? [{ userId, reason, ref: before.ref }] : [],
          )
          const ledgers = await openLedgers(tx, [userId], corrected)
          const { points } = before ? ledgers.takeBack({ userId, reason, ref: before.ref }) : { points: 0 }
          if (delta > 0) ledgers.append({ userId, delta, reason, ref })
          await ledgers.write()
          return points
        })
        if (before) {
          expect(taken).toBe(before.taken?.points ?? Math.min(before.points, model.balance))
          if (taken > 0) before.taken ??= { points: taken, at }
        }
        if (delta === 0) continue
        model.earnings.push({ ref, reason, season, at, points: delta, taken: null })
      } else if (change.kind === 'void') {
        const grants = model.earnings.filter(({ reason }) => reason !== 'activity')
        const earning = grants[change.nth % Math.max(grants.length, 1)]
        if (!earning || earning.reason === 'activity') continue
        const { reason, ref } = earning
        const taken = await db.write(tx => takeBack(tx, { userId, reason, ref }))
        const due = earning.taken?.points ?? Math.min(earning.points, model.balance)
        expect(taken).toEqual({ points: due, uncollected: earning.points - due })
        if (due > 0) earning.taken ??= { points: due, at }
      } else if (change.kind === 'spend') {
        const spent = Math.floor((model.balance * (change.share + 1)) / 3)
        if (spent === 0) continue
        const ref = `r-${++refs}`
        await db.write(tx => appendEntry(tx, { userId, delta: -spent, reason: 'pack_purchase', ref }))
        model.spent += spent
      } else if (change.kind === 'join') {
        await db.write(tx => addMembership(tx, { ...who(change.fan), userId, isNew: false }))
        model.enrolledAt ??= at
      } else {
        await db.write(tx => removeMembership(tx, { ...who(change.fan), userId, isNew: false }))
        model.enrolledAt = null
      }
    }
    return fans
  }

  test('balances, lifetime points, scores and ranks are those of the model, and the audit finds nothing', async () => {
    const { leaderboardScores } = world.db.tables
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 10, maxLength: 40 }), async changes => {
        const fans = await play(changes)
        const rows = await world.db.read.select().from(leaderboardScores)
        const ranked = new Map<string, { userId: string; score: [number, number]; rank: number }[]>()
        for (const { userId, model } of fans) {
          const { balance, lifetime } = model
          expect(await readBalance(world.db.read, userId)).toEqual({ balance, lifetime })
          const stored = rows
            .filter(row => row.userId === userId)
            .map(({ board, minusPoints, reachedAt }) => [board, [0 - minusPoints, reachedAt]])
          expect(Object.fromEntries(stored)).toEqual(model.scores())
          expect((await checkFan(world.db.read, userId)).findings).toEqual([])
          for (const [board, score] of Object.entries(model.scores())) {
            const rank = (await readRankedEntry(world.db.read, board, userId))?.rank ?? 0
            ranked.set(board, [...(ranked.get(board) ?? []), { userId, score, rank }])
          }
        }
        for (const entries of ranked.values()) {
          const sorted = entries.toSorted(
            ({ score: a, userId: x }, { score: b, userId: y }) =>
              b[0] - a[0] || a[1] - b[1] || (x < y ? -1 : 1),
          )
          expect(entries.toSorted((a, b) => a.rank - b.rank)).toEqual(sorted)
        }
      }),
      { numRuns: 60 },
    )
    for (const board of await listBoards(world.db.read))
      expect(await findWrongBuckets(world.db.read, board)).toEqual([])
  })
})
