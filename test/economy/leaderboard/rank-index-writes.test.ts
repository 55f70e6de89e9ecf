/** Ranks from the rank index, compared with a full sort after thousands of random changes. */
import { beforeAll, expect, test } from 'bun:test'
import type { Transaction } from '../../../db/index.ts'
import { type BoardPage, readBoardAround, readBoardPage } from '../../../src/economy/leaderboard/page.ts'
import { rebuildRankIndex } from '../../../src/economy/leaderboard/rank-index/rank-index.ts'
import { readRankedEntry } from '../../../src/economy/leaderboard/ranked-entry.ts'
import { joinLeaderboard } from '../../../src/economy/points/join-leaderboard.ts'
import { appendEntry, type PointsChange } from '../../../src/economy/points/ledger.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { BoardModel, readBuckets, seededNumbers } from './board-model.ts'

const FANS = 160
const UNITS = 60
const CHANGES_PER_UNIT = 40
const DAY = 86_400_000

/** Gains that reach both sides of bucket borders, and ties. */
const GAINS = [1, 1, 1, 10, 10, 100, 155, 156, 255, 256, 65_279, 65_280, 65_536, 2 ** 24 - 256, 2 ** 24]
/** Waits between units of work: none, within a second, both sides of each time bucket, weeks, and backwards. */
const WAITS = [
  0,
  0,
  1,
  1,
  500,
  1023,
  1024,
  -5,
  2 ** 20 - 1,
  2 ** 20,
  2 ** 20 + 1,
  3 * DAY,
  2 ** 30,
  2 ** 30 + 1,
  2 ** 19 - 1,
  2 ** 19,
  2 ** 28,
]

async function play(world: World): Promise<{ model: BoardModel; users: string[] }> {
  const pick = seededNumbers(20_260_815)
  const one = <T>(of: readonly T[]) => of[pick(of.length)] as T
  let model = new BoardModel()
  const users = await world.db.write(async tx => {
    const made: string[] = []
    for (let n = 1; n <= FANS; n++) {
      const subject = `fan-${String(n).padStart(4, '0')}`
      made.push((await ensureUser(tx, { provider: world.config.identity.name, subject })).user.id)
    }
    return made
  })
  let refs = 0
  const book = async (tx: Transaction, userId: string, delta: number, reason: PointsChange['reason']) => {
    const { outcome } = await appendEntry(tx, { userId, delta, reason, ref: `change-${++refs}` })
    if (outcome !== 'booked') throw new Error(`change was ${outcome}`)
  }

  for (let unit = 0; unit < UNITS; unit++) {
    world.clock.advance(one(WAITS))
    const plan = Array.from({ length: CHANGES_PER_UNIT }, () => ({
      userId: users[pick(users.length)] as string,
      kind: pick(10),
      gain: one(GAINS),
    }))
    const before = model
    model = await world.db.write(async tx => {
      // A repeated unit of work starts from the same state.
      const model = new BoardModel(before)
      const at = tx.now()
      for (const { userId, kind, gain } of plan) {
        const fan = model.fan(userId)
        if (kind < 2) {
          await joinLeaderboard(tx, userId)
          model.enrol(userId, at)
        } else if (kind < 4 && fan.balance > 0) {
          const spent = Math.max(1, Math.floor(fan.balance / 2))
          await book(tx, userId, -spent, one(['pack_purchase', 'adjustment'] as const))
          fan.balance -= spent
        } else if (kind === 4) {
          await book(tx, userId, gain, 'pack_refund')
          fan.balance += gain
        } else {
          await book(tx, userId, gain, one(['activity', 'adjustment'] as const))
          model.earn(userId, gain, at)
        }
      }
      return model
    })
  }

  // Up to the largest exact integer.
  world.clock.advance(1)
  const before = model
  model = await world.db.write(async tx => {
    const model = new BoardModel(before)
    for (const [n, userId] of users.slice(0, 12).entries()) {
      await joinLeaderboard(tx, userId)
      model.enrol(userId, tx.now())
      const earned = model.boards.get('all')?.get(userId)?.points ?? 0
      const gain = Number.MAX_SAFE_INTEGER - earned - ([0, 0, 1, 255, 256, 2 ** 48 - 1][n % 6] ?? 0)
      // The balance has the same limit, and includes refunds, which lifetime points do not.
      const spare = model.fan(userId).balance
      if (spare > 0) await book(tx, userId, -spare, 'adjustment')
      await book(tx, userId, gain, 'activity')
      model.fan(userId).balance = 0
      model.earn(userId, gain, tx.now())
    }
    return model
  })
  return { model, users }
}

onEachEngine('Ranks from the rank index', world => {
  let model: BoardModel
  let users: string[]

  beforeAll(async () => {
    ;({ model, users } = await play(world))
  })

  const page = (board: string, limit: number, cursor?: string) =>
    readBoardPage(world.db.read, world.deps.cursors, board, { limit, cursor })
  const ranked = (board: string) =>
    model.sorted(board).map(({ reachedAt, ...entry }, index) => {
      return { ...entry, rank: index + 1, reachedAt: new Date(reachedAt) }
    })

  test('the changes cover several boards, ties and fans who never enrolled', () => {
    expect(model.boards.size).toBeGreaterThan(5)
    const all = model.sorted('all')
    expect(all.length).toBeGreaterThan(100)
    expect(all.length).toBeLessThan(FANS)
    const weeks = [...model.boards.keys()].flatMap(board => model.sorted(board))
    const pairs = new Set(weeks.map(({ points, reachedAt }) => `${points} ${reachedAt}`))
    expect(pairs.size).toBeLessThan(weeks.length - 100)
  })

  test('the buckets equal a rebuilt rank index, and none is empty', async () => {
    const before = await readBuckets(world.db.read)
    expect(before.length).toBeGreaterThan(500)
    expect(Math.min(...before.map(({ fans }) => fans))).toBe(1)
    await world.db.write(async tx => {
      for (const board of model.boards.keys()) await rebuildRankIndex(tx, board)
    })
    expect(await readBuckets(world.db.read)).toEqual(before)
    expect([...new Set(before.map(({ board }) => board))].sort()).toEqual([...model.boards.keys()].sort())
  })

  test('the rank of each fan on each board is the position in a full sort, and fans who are not on the board have none', async () => {
    const noName = { handle: null, displayName: null, avatarUrl: null }
    for (const board of model.boards.keys()) {
      const expected = ranked(board).map(entry => ({ ...entry, name: { userId: entry.userId, ...noName } }))
      const entries = []
      for (const { userId } of expected) entries.push(await readRankedEntry(world.db.read, board, userId))
      expect(entries).toEqual(expected)
    }
    const absent = users.filter(userId => !model.fan(userId).enrolled)
    expect(absent.length).toBeGreaterThan(0)
    for (const userId of absent) expect(await readRankedEntry(world.db.read, 'all', userId)).toBeNull()
  })

  test('pages of any size, forwards and then backwards, are slices of the full sort', async () => {
    for (const board of model.boards.keys()) {
      const expected = ranked(board)
      for (const limit of board === 'all' ? [7, 100] : [40]) {
        const forwards: BoardPage['entries'] = []
        let last: BoardPage = await page(board, limit)
        for (;;) {
          forwards.push(...last.entries)
          expect(last.total).toBe(expected.length)
          if (last.nextCursor === null) break
          last = await page(board, limit, last.nextCursor)
        }
        expect(forwards).toEqual(expected)

        const backwards = [...last.entries]
        while (last.previousCursor !== null) {
          last = await page(board, limit, last.previousCursor)
          backwards.unshift(...last.entries)
          expect(last.total).toBe(expected.length)
        }
        expect(backwards).toEqual(expected)
      }
    }
  })

  test('the page around a fan is the slice of the full sort with them in its middle', async () => {
    const expected = ranked('all')
    for (const limit of [1, 2, 5, 100]) {
      for (const [index, { userId }] of expected.entries()) {
        if (index % 9 !== 0 && index !== expected.length - 1) continue
        const around = await readBoardAround(world.db.read, world.deps.cursors, 'all', limit, userId)
        const start = Math.max(0, index - Math.floor(limit / 2))
        expect(around.entries).toEqual(expected.slice(start, start + limit))
        expect(around.total).toBe(expected.length)
      }
    }
  })

  test('points on the global board equal the accounts’ lifetime points', async () => {
    const { pointsAccounts } = world.db.tables
    const accounts = await world.db.read.select().from(pointsAccounts)
    const lifetimes = new Map(accounts.map(({ userId, lifetime }) => [userId, lifetime]))
    for (const { userId, points } of model.sorted('all')) expect(points).toBe(lifetimes.get(userId) ?? -1)
  })

  test('list, me, around=me and dashboard show the same rank', async () => {
    const expected = ranked('all')
    const { users: fans } = world.db.tables
    const subjects = new Map(
      (await world.db.read.select().from(fans)).map(({ id, subject }) => [id, subject]),
    )
    const some = [0, 1, Math.floor(expected.length / 2), -1].flatMap(index => expected.at(index) ?? [])
    for (const { userId, rank, points, reachedAt } of some) {
      const fan = world.withToken(await world.idp.issueToken(subjects.get(userId) ?? ''))
      const entry = { rank, userId, points, reachedAt: reachedAt.toISOString() }
      const list = (await fan.get('/api/leaderboard?limit=3')).body
      const around = (await fan.get('/api/leaderboard?around=me&limit=3')).body
      expect(list.me).toMatchObject(entry)
      expect(around.me).toEqual(list.me)
      expect(around.entries).toContainEqual(list.me)
      expect((await fan.get('/api/dashboard')).body.rank).toBe(rank)
      const whole = (await fan.get('/api/leaderboard?limit=100')).body
      if (rank <= 100) expect(whole.entries[rank - 1]).toEqual(list.me)
    }
  })
})
