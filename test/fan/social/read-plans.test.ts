/**
 * Reads about other fans use look-ups, for any number of fans: checked by plans on SQLite, and by plans of empty tables on
 * PostgreSQL.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import type { Reader, Transaction } from '../../../db/index.ts'
import { createCursors } from '../../../src/core/pagination.ts'
import { readBoardAmong } from '../../../src/economy/leaderboard/among.ts'
import { readFeed } from '../../../src/fan/social/feed.ts'
import { readBoardNames } from '../../../src/identity/relations/board-names.ts'
import { readFan } from '../../../src/identity/relations/find-fan.ts'
import { readLocker } from '../../../src/play/lockers/lockers.ts'
import { listSets } from '../../../src/play/sets/sets.ts'
import { listTrades } from '../../../src/play/trades/trades.ts'
import { countRowsRead } from '../../db/plans.ts'
import { tablesScanned } from '../../db/sqlite-plan.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine, onServer } from '../../support/world.ts'

const cursors = createCursors('a secret of sufficient length for tests')
const caller = { userId: 'fan-0' }
const PAGE = { limit: 10 }
const OTHERS = 1_000
const FOLLOWED = 50

/** `fan-0` follows the first fans of the others, who have handles and lockers. */
async function addFans(tx: Transaction): Promise<void> {
  const { users, fanRelations, lockers } = tx.tables
  const at = tx.now()
  const ids = Array.from({ length: OTHERS }, (_, n) => `fan-${n}`)
  const fan = { provider: 'test', createdAt: at, updatedAt: at }
  await tx.insert(users).values(ids.map((id, n) => ({ ...fan, id, subject: id, handle: `handle_${n}` })))
  const others = ids.slice(1, FOLLOWED + 1)
  await tx.insert(fanRelations).values(others.map(otherId => ({ fanId: 'fan-0', otherId, followedAt: at })))
  const locker = { title: '', theme: 'night', shelves: '[]', updatedAt: at }
  await tx.insert(lockers).values(ids.map(userId => ({ ...locker, userId })))
}

const followed = Array.from({ length: FOLLOWED }, (_, n) => `fan-${n + 1}`)

const reads = {
  'a page of the feed': (reader: Reader) => readFeed(reader, cursors, caller, PAGE),
  'a board among those followed': (reader: Reader) =>
    readBoardAmong(reader, cursors, 'all', 'fan-0', { ...PAGE, around: true }),
  'names on a board': (reader: Reader) => readBoardNames(reader, followed),
  'the page of a fan': (reader: Reader) => readFan(reader, 'fan-0', 'handle_1'),
  'the locker of a fan': (reader: Reader) => readLocker(reader, 'fan-0', 'handle_1'),
  'the trades of a fan': (reader: Reader) => listTrades(reader, cursors, caller, PAGE),
}

onEngine(sqliteEngine, 'On SQLite', world => {
  beforeAll(() => world.db.write(addFans))

  test.each(Object.entries(reads))('%s scans no table', async (_, read) => {
    expect(await tablesScanned(world.db, world.databaseUrl, () => read(world.db.read))).toEqual([])
  })

  test('the sets of a fan scan no table', async () => {
    const list = async () => listSets({ read: world.db.read, cache: world.deps.cache }, caller)
    // The catalogue is read as a whole, and cached.
    await list()
    expect(await tablesScanned(world.db, world.databaseUrl, list)).toEqual([])
  })
})

onServer('On PostgreSQL', world => {
  beforeAll(() => world.db.write(addFans))

  type Fill = (tx: Transaction) => Promise<unknown>

  /** The number of rows that a read takes from the table, with a plan that was made while it was empty. */
  const rowsReadBy = (read: keyof typeof reads, table: string, fill: Fill) =>
    world.db.write(tx =>
      countRowsRead(tx, table, { query: () => reads[read](tx).catch(() => {}), fill: () => fill(tx) }),
    )

  test('a board among followed fans looks up their scores', async () => {
    const found = await rowsReadBy('a board among those followed', 'leaderboard_scores', tx => {
      const score = (n: number) => ({ board: 'all', userId: `fan-${n}`, minusPoints: -n, reachedAt: n })
      return tx.insert(tx.tables.leaderboardScores).values(Array.from({ length: OTHERS }, (_, n) => score(n)))
    })
    expect(found).toBeGreaterThanOrEqual(FOLLOWED)
    expect(found).toBeLessThanOrEqual(3 * FOLLOWED)
  })

  test('the trades of a fan are those of two indexes', async () => {
    const found = await rowsReadBy('the trades of a fan', 'trades', tx => {
      const at = tx.now()
      const trade = { status: 'open', version: 1, createdAt: at, expiresAt: at }
      const own = (n: number) => (n % 100 === 0 ? 'fan-0' : `fan-${1 + (n % 500)}`)
      const rows = Array.from({ length: 3_000 }, (_, n) => ({
        ...{ ...trade, id: String(10_000 + n), fromId: own(n), toId: `fan-${501 + (n % 400)}` },
      }))
      return tx.insert(tx.tables.trades).values(rows)
    })
    expect(found).toBeGreaterThanOrEqual(PAGE.limit)
    expect(found).toBeLessThanOrEqual(4 * PAGE.limit)
  })

  test('names on a board are looked up', async () => {
    const at = new Date()
    const fan = { provider: 'test', createdAt: at, updatedAt: at }
    const ids = Array.from({ length: OTHERS }, (_, n) => `fan-${n}`)
    const found = await rowsReadBy('names on a board', 'users', tx =>
      tx.insert(tx.tables.users).values(ids.map(id => ({ ...fan, id, subject: id }))),
    )
    expect(found).toBeGreaterThanOrEqual(FOLLOWED)
    expect(found).toBeLessThanOrEqual(3 * FOLLOWED)
  })

  test('pictures on a board are looked up', async () => {
    const mirror = { provider: 'test', updatedAt: new Date(), syncedAt: new Date() }
    const found = await rowsReadBy('names on a board', 'identities', tx =>
      tx.insert(tx.tables.identities).values(
        Array.from({ length: OTHERS }, (_, n) => ({
          ...mirror,
          userId: `fan-${n}`,
          subject: `fan-${n}`,
          name: 'A',
          picture: null,
        })),
      ),
    )
    expect(found).toBeGreaterThanOrEqual(FOLLOWED)
    expect(found).toBeLessThanOrEqual(3 * FOLLOWED)
  })

  // Moderators have hidden a part of the fans: who is hidden is looked up, and not read as a whole.
  describe.each(['a page of the feed', 'the locker of a fan'] as const)('%s', name => {
    test('looks up who is hidden', async () => {
      const found = await rowsReadBy(name, 'users', tx => {
        const at = tx.now()
        const fan = { provider: 'test', createdAt: at, updatedAt: at }
        return tx.insert(tx.tables.users).values(
          Array.from({ length: OTHERS }, (_, n) => ({
            ...{ ...fan, id: `fan-${n}`, subject: `fan-${n}`, handle: `handle_${n}` },
            hiddenAt: n % 3 === 2 ? at : null,
          })),
        )
      })
      expect(found).toBeGreaterThan(0)
      expect(found).toBeLessThanOrEqual(6 * FOLLOWED)
    })
  })
})
