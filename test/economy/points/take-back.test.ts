/** Points that a rule granted are taken back: balance, lifetime points and boards are as if the grant had not been made. */
import { beforeEach, expect, test } from 'bun:test'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { readBalance } from '../../../src/economy/points/account.ts'
import { joinLeaderboard } from '../../../src/economy/points/join-leaderboard.ts'
import { appendEntry, takeBack } from '../../../src/economy/points/ledger.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { repairFan } from '../../../src/operate/admin/repair-fan.ts'
import { onEachEngine } from '../../support/world.ts'

const DAY = 86_400_000

/** Guarantee of the cast: none, on purpose. Only `takeBack` books this reason. */
const VOID = 'rule_void' as 'rule'

onEachEngine(
  'Points that are taken back',
  world => {
    let ada: string
    let bo: string
    const idOf = (subject: string) =>
      world.db.write(async tx => (await ensureUser(tx, { provider: 'p', subject })).user.id)
    const join = (userId: string) => world.db.write(tx => joinLeaderboard(tx, userId))
    const grant = (userId: string, delta: number, ref: string) =>
      world.db.write(tx => appendEntry(tx, { userId, delta, reason: 'rule', ref }))
    const book = (userId: string, delta: number, ref: string) =>
      world.db.write(tx => appendEntry(tx, { userId, delta, reason: 'activity', ref }))
    const voidGrant = (userId: string, ref: string) =>
      world.db.write(tx => takeBack(tx, { userId, reason: 'rule', ref }))
    const pointsOf = (userId: string) => readBalance(world.db.read, userId)
    const board = async (query = '') => {
      const { body } = await world.anonymous.get(`/api/leaderboard?${query}`)
      return body.entries.map(({ userId, points, reachedAt }: Record<string, unknown>) => [
        userId,
        points,
        reachedAt,
      ])
    }
    const iso = () => world.clock.now().toISOString()
    async function findings(): Promise<Finding[]> {
      const found: Finding[] = []
      await verifyLedger(world.db, { onFinding: finding => found.push(finding) })
      // These grants have no events, which is a finding of its own.
      return found.filter(({ what }) => !what.startsWith('points_entries.delta of '))
    }

    beforeEach(async () => {
      ;[ada, bo] = [await idOf('ada'), await idOf('bo')]
    })

    test('a grant is taken back once, with an entry of the same ref', async () => {
      await book(ada, 5, 'goal')
      await grant(ada, 40, 'rule-1:gate:scan-1')
      expect(await voidGrant(ada, 'rule-1:gate:scan-1')).toEqual({ points: 40, uncollected: 0 })
      expect(await pointsOf(ada)).toEqual({ balance: 5, lifetime: 5 })
      expect(await voidGrant(ada, 'rule-1:gate:scan-1')).toEqual({ points: 40, uncollected: 0 })
      const entries = await world.db.read.select().from(world.db.tables.pointsEntries)
      expect(entries.map(({ seq, delta, reason, ref }) => [seq, delta, reason, ref]).toSorted()).toEqual([
        [1, 5, 'activity', 'goal'],
        [2, 40, 'rule', 'rule-1:gate:scan-1'],
        [3, -40, 'rule_void', 'rule-1:gate:scan-1'],
      ])
      expect(await findings()).toEqual([])
    })

    test('spent points are not collected, and stay in lifetime points and on the boards', async () => {
      await join(ada)
      await grant(ada, 100, 'scan')
      const earnedAt = iso()
      await book(ada, -70, 'scarf')
      world.clock.advance(1000)
      expect(await voidGrant(ada, 'scan')).toEqual({ points: 30, uncollected: 70 })
      expect(await pointsOf(ada)).toEqual({ balance: 0, lifetime: 70 })
      for (const query of ['', 'period=week', 'period=month'])
        expect([query, await board(query)]).toEqual([query, [[ada, 70, earnedAt]]])
      expect(await findings()).toEqual([])
    })

    test('nothing is booked for a grant that was never made, nor while the balance is zero', async () => {
      expect(await voidGrant(ada, 'never')).toEqual({ points: 0, uncollected: 0 })
      await grant(ada, 10, 'scan')
      await book(ada, -10, 'pin')
      expect(await voidGrant(ada, 'scan')).toEqual({ points: 0, uncollected: 10 })
      expect(await pointsOf(ada)).toEqual({ balance: 0, lifetime: 10 })
      expect(await findings()).toEqual([])
    })

    test('an entry of another reason with the same ref is not taken back', async () => {
      await book(ada, 10, 'scan')
      expect(await voidGrant(ada, 'scan')).toEqual({ points: 0, uncollected: 0 })
      expect(await pointsOf(ada)).toEqual({ balance: 10, lifetime: 10 })
    })

    test('a fan who ranked higher before the other’s earning ranks higher again once it is voided', async () => {
      await join(ada)
      await join(bo)
      await grant(ada, 50, 'first')
      const first = iso()
      world.clock.advance(1000)
      await grant(bo, 50, 'equal')
      const second = iso()
      world.clock.advance(1000)
      await grant(ada, 30, 'latest')
      await grant(bo, 40, 'more')
      for (const query of ['', 'period=week', 'period=month'])
        expect((await board(query))[0].slice(0, 2)).toEqual([bo, 90])
      world.clock.advance(1000)
      await voidGrant(bo, 'more')
      await voidGrant(ada, 'latest')
      // Equal points: the fan who reached them first is ahead, by the time of the earnings that remain.
      for (const query of ['', 'period=week', 'period=month'])
        expect([query, await board(query)]).toEqual([
          query,
          [
            [ada, 50, first],
            [bo, 50, second],
          ],
        ])
      expect(await findings()).toEqual([])
    })

    test('voiding an earlier earning leaves the time of the latest', async () => {
      await join(ada)
      await grant(ada, 50, 'earlier')
      world.clock.advance(1000)
      await book(ada, 7, 'later')
      const latest = iso()
      world.clock.advance(1000)
      await voidGrant(ada, 'earlier')
      expect(await board('period=week')).toEqual([[ada, 7, latest]])
      expect(await findings()).toEqual([])
    })

    test('a fan whose only earning is voided has zero points since the enrolment, and leaves the week and the month', async () => {
      await join(ada)
      const enrolled = iso()
      world.clock.advance(1000)
      await grant(ada, 50, 'only')
      await voidGrant(ada, 'only')
      expect(await board()).toEqual([[ada, 0, enrolled]])
      expect(await board('period=week')).toEqual([])
      expect(await board('period=month')).toEqual([])
      expect(await findings()).toEqual([])
      world.clock.advance(1000)
      await book(ada, 3, 'again')
      for (const query of ['', 'period=week', 'period=month'])
        expect(await board(query)).toEqual([[ada, 3, iso()]])
      expect(await findings()).toEqual([])
    })

    test.each([
      { when: 'a millisecond before its week is final lowers', ms: 59_999, stays: false },
      { when: 'once its week is final leaves', ms: 60_000, stays: true },
    ])('a void $when the week’s board', async ({ ms, stays }) => {
      await join(ada)
      await grant(ada, 50, 'scan')
      const { board: current } = (await world.anonymous.get('/api/leaderboard?period=week')).body
      world.clock.ms = Date.parse(current.endsAt) + ms
      await voidGrant(ada, 'scan')
      const [rows, all] = [await board(`period=week&of=${current.id}`), await board()]
      expect(rows.map(([userId]: string[]) => userId)).toEqual(stays ? [ada] : [])
      expect(all.map(([, points]: number[]) => points)).toEqual([0])
      expect(await pointsOf(ada)).toEqual({ balance: 0, lifetime: 0 })
      expect(await findings()).toEqual([])
    })

    test('a void after the period changes lifetime points and the global board, and no final board', async () => {
      await join(ada)
      await book(ada, 5, 'goal')
      world.clock.advance(1000)
      await grant(ada, 50, 'scan')
      const week = (await world.anonymous.get('/api/leaderboard?period=week')).body.board.id
      const before = await board(`period=week&of=${week}`)
      world.clock.advance(40 * DAY)
      await book(ada, 2, 'later')
      const later = iso()
      await voidGrant(ada, 'scan')
      expect(await board(`period=week&of=${week}`)).toEqual(before)
      expect(await board()).toEqual([[ada, 7, later]])
      expect(await board('period=week')).toEqual([[ada, 2, later]])
      expect(await findings()).toEqual([])
    })

    test.each([
      ['with a later earning of that period', () => book(ada, 5, 'goal')],
      ['of points that are partly spent', () => book(ada, -20, 'spent')],
    ])('a void after the period %s lowers no final board', async (_, then) => {
      await join(ada)
      await grant(ada, 50, 'scan')
      world.clock.advance(1000)
      await then()
      const { week, month } = Object.fromEntries(
        await Promise.all(
          ['week', 'month'].map(async period => [
            period,
            (await world.anonymous.get(`/api/leaderboard?period=${period}`)).body.board.id,
          ]),
        ),
      )
      const finals = async () => [
        await board(`period=week&of=${week}`),
        await board(`period=month&of=${month}`),
      ]
      const before = await finals()
      world.clock.advance(40 * DAY)
      await voidGrant(ada, 'scan')
      expect(await finals()).toEqual(before)
      expect((await board()).map(([, points]: number[]) => points)).toEqual([(await pointsOf(ada)).lifetime])
      expect(await findings()).toEqual([])
    })

    test('a fan who enrols after a void, or again, does not have the points on any board', async () => {
      await book(ada, 5, 'goal')
      const goal = iso()
      world.clock.advance(1000)
      await grant(ada, 50, 'scan')
      await voidGrant(ada, 'scan')
      world.clock.advance(1000)
      await join(ada)
      for (const query of ['', 'period=week', 'period=month'])
        expect([query, await board(query)]).toEqual([query, [[ada, 5, goal]]])
      // A grant of an earlier month.
      await grant(bo, 20, 'old')
      world.clock.advance(40 * DAY)
      await voidGrant(bo, 'old')
      await join(bo)
      expect(await board()).toEqual([
        [ada, 5, goal],
        [bo, 0, iso()],
      ])
      expect(await findings()).toEqual([])
    })

    test('the audit reports a void of a missing grant, and a void of more points than were granted', async () => {
      await book(ada, 100, 'goal')
      await world.db.write(tx => appendEntry(tx, { userId: ada, delta: -1, reason: VOID, ref: 'none' }))
      await book(bo, 100, 'goal')
      await grant(bo, 10, 'scan')
      await world.db.write(tx => appendEntry(tx, { userId: bo, delta: -11, reason: VOID, ref: 'scan' }))
      expect(await findings()).toMatchObject([
        { what: 'points_entries.ref', seq: 2, actual: 'none' },
        { what: 'points_entries.delta', seq: 3, expected: -10, actual: -11 },
      ])
    })

    test('the repair of wrong scores computes them without points that were taken back', async () => {
      await join(ada)
      await book(ada, 5, 'goal')
      await grant(ada, 50, 'scan')
      await voidGrant(ada, 'scan')
      const before = await board()
      const { leaderboardScores } = world.db.tables
      await world.db.write(tx => tx.update(leaderboardScores).set({ minusPoints: -9 }))
      expect((await world.db.write(tx => repairFan(tx, ada))).outcome).toBe('repaired')
      expect(await board()).toEqual(before)
    })
  },
  { worldPer: 'test' },
)
