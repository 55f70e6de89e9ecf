/** Nothing of the ledger and the boards can be changed behind the triggers' back without being found. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import type { Database } from '../../../db/index.ts'
import { openDatabase } from '../../../db/index.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { rebuildRankIndex } from '../../../src/economy/leaderboard/rank-index/rank-index.ts'
import { joinLeaderboard } from '../../../src/economy/points/join-leaderboard.ts'
import { appendEntry, type PointsChange } from '../../../src/economy/points/ledger.ts'
import { type Run, withoutRules, withRawConnection } from '../../db/probe.ts'
import { createClock, type TestClock } from '../../support/clock.ts'
import { engines, sqliteEngine, type TemporaryDatabase } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'

const DAY = 86_400_000

async function findingsOf(db: Database) {
  const findings: Finding[] = []
  const report = await verifyLedger(db, { onFinding: finding => findings.push(finding) })
  expect(report.findings).toBe(findings.length)
  return { findings, report }
}

/** Ada is enrolled and has a history over two months; Bo joined with nothing; Cy never joined. */
async function fill(db: Database, clock: TestClock) {
  const at = clock.now()
  const book = (userId: string, delta: number, reason: PointsChange['reason'], ref: string) =>
    db.write(tx => appendEntry(tx, { userId, delta, reason, ref }))
  const fans = ['ada', 'bo', 'cy'].map(id => {
    return { id, provider: 'p', subject: id, createdAt: at, updatedAt: at }
  })
  await db.write(tx => tx.insert(tx.tables.users).values(fans))
  await book('ada', 40, 'activity', 'before joining')
  clock.advance(DAY)
  await db.write(tx => joinLeaderboard(tx, 'ada'))
  await db.write(tx => joinLeaderboard(tx, 'bo'))
  await book('ada', 300, 'activity', 'this month')
  await book('ada', -50, 'pack_purchase', 'pack')
  clock.advance(30 * DAY)
  await book('ada', 50, 'pack_refund', 'pack')
  await book('ada', 7, 'activity', 'next month')
  await book('cy', 11, 'activity', 'alone')
}

for (const engine of engines) {
  describe(`verifyLedger (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    const clock = createClock()
    beforeAll(async () => {
      temporary = await engine.open(clock)
      await fill(temporary.db, clock)
    })
    afterAll(() => temporary.remove())

    const behindTheirBack = (use: (run: Run) => Promise<void>) => withoutRules(temporary, use)

    /** Each row takes a verification: the first and the last, and of many the one in the middle. */
    const someOf = (rows: number) => (rows > 20 ? [Math.floor(rows / 2)] : [0, rows - 1])
    const rowsOf = async (table: string) => withRawConnection(temporary, run => run(`SELECT * FROM ${table}`))

    test('finds nothing in rows that the verbs wrote, and counts them', async () => {
      const { findings, report } = await findingsOf(temporary.db)
      expect(findings).toEqual([])
      // Global, two months, and the weeks in which Ada earned something.
      expect(report).toMatchObject({ fans: 3, entries: 6, boards: 5 })
      expect(report.digest).toMatch(/^[0-9a-f]{64}$/)
    })

    test('its digest is the SHA-256 of the newest hash of each fan, by id', async () => {
      const accounts = await temporary.db.read.select().from(temporary.db.tables.pointsAccounts)
      const heads = accounts
        .filter(({ seq }) => seq > 0)
        .toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
        .map(({ userId, seq, headHash }) => `${JSON.stringify([userId, seq, headHash])}\n`)
      expect(heads).toHaveLength(2)
      const digest = new Bun.CryptoHasher('sha256').update(heads.join('')).digest('hex')
      expect((await findingsOf(temporary.db)).report.digest).toBe(digest)
    })

    const COLUMNS: Record<string, string[]> = {
      points_entries: [
        'id',
        'user_id',
        'seq',
        'delta',
        'balance_after',
        'reason',
        'ref',
        'created_at',
        'hash',
      ],
      points_accounts: ['user_id', 'balance', 'lifetime', 'seq', 'head_hash', 'updated_at'],
      leaderboard_entries: ['user_id', 'enrolled_at', 'hash', 'left_at'],
      leaderboard_scores: ['board', 'user_id', 'minus_points', 'reached_at'],
      leaderboard_counts: ['board', 'level', 'points', 'reached_at', 'fans'],
    }

    /** Null without leagues: those of the corruption test have it. */
    const ELSEWHERE = ['counted_from']

    test('covers every column', async () => {
      for (const [table, columns] of Object.entries(COLUMNS)) {
        const stored = Object.keys((await rowsOf(table))[0] ?? {})
        expect(stored.filter(name => !ELSEWHERE.includes(name)).sort()).toEqual(columns.toSorted())
      }
    })

    /** The least change of a value: a bit, a letter, a millisecond. */
    function nudge(column: string): string {
      // Null for everyone who has not left.
      if (column === 'left_at') return 'enrolled_at'
      if (/_at$/.test(column) && temporary.db.engine === 'postgres' && column !== 'reached_at')
        return `${column} + interval '1 millisecond'`
      // Far enough to collide with no other row.
      if (/^(seq|level|points)$/.test(column)) return `${column} + 64`
      if (/^(delta|balance|balance_after|lifetime|fans|reached_at|.*_at)$/.test(column))
        return `${column} + 1`
      if (column === 'minus_points') return `${column} - 1`
      return `'x' || substr(${column}, 2)`
    }
    const nudgeOf = (table: string, column: string) =>
      table.startsWith('leaderboard_') && column === 'reached_at' ? 'reached_at + 1' : nudge(column)

    /** SQL that names a row of a table: its primary key as text. */
    const KEYS: Record<string, string> = {
      points_entries: 'id',
      points_accounts: 'user_id',
      leaderboard_entries: 'user_id',
      leaderboard_scores: "board || ' ' || user_id",
      leaderboard_counts: "board || ' ' || level || ' ' || points || ' ' || reached_at",
    }

    test.each(Object.entries(COLUMNS))('finds a change of any column of %s', async (table, columns) => {
      const key = KEYS[table]
      await behindTheirBack(async run => {
        const rows = (await run(`SELECT *, ${key} AS key FROM ${table}`)).length
        for (const column of columns) {
          for (const row of someOf(rows)) {
            const [kept] = await run(
              `SELECT ${column} AS value, ${key} AS key FROM ${table} ORDER BY ${key} LIMIT 1 OFFSET ${row}`,
            )
            const key0 = `'${kept?.key}'`
            const changed = await run(
              `UPDATE ${table} SET ${column} = ${nudgeOf(table, column)} WHERE ${key} = ${key0} RETURNING ${key} AS key`,
            )
            const { findings } = await findingsOf(temporary.db)
            expect({ table, column, row, found: findings.length > 0 }).toMatchObject({ found: true })
            const value = kept?.value instanceof Date ? kept.value.toISOString() : kept?.value
            const literal = typeof value === 'number' || value === null ? value : `'${value}'`
            await run(`UPDATE ${table} SET ${column} = ${literal} WHERE ${key} = '${changed[0]?.key}'`)
          }
        }
        expect((await findingsOf(temporary.db)).findings).toEqual([])
      })
    })

    test('finds a deleted row', async () => {
      await behindTheirBack(async run => {
        for (const table of Object.keys(COLUMNS)) {
          const names = COLUMNS[table]?.join(', ')
          await run(`CREATE TABLE kept AS SELECT ${names} FROM ${table}`)
          const rows = (await run('SELECT * FROM kept')).length
          for (const row of someOf(rows)) {
            const key = KEYS[table]
            await run(
              `DELETE FROM ${table} WHERE ${key} = (SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT 1 OFFSET ${row})`,
            )
            expect({ table, row, found: (await findingsOf(temporary.db)).findings.length > 0 }).toMatchObject(
              {
                found: true,
              },
            )
            await run(`DELETE FROM ${table}`)
            await run(`INSERT INTO ${table} (${names}) SELECT ${names} FROM kept`)
          }
          await run('DROP TABLE kept')
        }
      })
      expect((await findingsOf(temporary.db)).findings).toEqual([])
    })

    test('reports the first broken entry of a fan, without its consequences', async () => {
      // A separate database, since damage stays.
      const broken = await engine.open(clock)
      await fill(broken.db, clock)
      await withoutRules(broken, async run => {
        await run("UPDATE points_entries SET delta = delta + 1 WHERE user_id = 'ada' AND seq = 2")
        await run("UPDATE points_entries SET hash = 'x' WHERE user_id = 'ada' AND seq = 4")
        await run("UPDATE points_accounts SET balance = 12 WHERE user_id = 'cy'")
        expect((await findingsOf(broken.db)).findings).toEqual([
          { userId: 'ada', what: 'points_entries.balance_after', seq: 2, expected: 341, actual: 340 },
          { userId: 'cy', what: 'points_accounts.balance', expected: 11, actual: 12 },
        ])
      })
      await broken.remove()
    })

    test('finds nothing while fans earn, spend and join', async () => {
      const { db, remove } = await engine.open(clock)
      const at = clock.now()
      // Few enough to leave connections of the pool to the reader.
      const ids = Array.from({ length: 4 }, (_, index) => `fan ${index}`)
      const users = ids.map(id => ({ id, provider: 'p', subject: id, createdAt: at, updatedAt: at }))
      await db.write(tx => tx.insert(tx.tables.users).values(users))
      const work = { writing: true, entries: 0 }
      const writers = ids.map(async (userId, index) => {
        for (let nth = 1; work.writing; nth++) {
          const change = { userId, delta: nth % 3 === 0 ? -1 : 5, reason: 'activity' as const, ref: `${nth}` }
          await db.write(tx => appendEntry(tx, change))
          work.entries++
          if (nth === index + 2) await db.write(tx => joinLeaderboard(tx, userId))
          // SQLite responds at once: other work gets a turn.
          await new Promise(setImmediate)
        }
      })
      for (let rounds = 0; rounds < 4; rounds++) {
        const before = work.entries
        await waitUntil('ten more entries', () => work.entries >= before + 10)
        expect((await findingsOf(db)).findings).toEqual([])
      }
      work.writing = false
      await Promise.all(writers)
      expect((await findingsOf(db)).report).toMatchObject({ findings: 0, entries: work.entries })
      await remove()
    })

    test('finds nothing if clocks disagree about the order of enrolments and entries', async () => {
      const { db, remove } = await engine.open(clock)
      const at = clock.now()
      // Just after a week and just before it, at the turn of a month as well: Monday, 1 March 2027.
      const monday = Date.parse('2027-03-01T00:00:00.000Z')
      for (const [index, [joined, earned]] of [
        [monday + 5, monday - 5],
        [monday - 5, monday + 5],
      ].entries()) {
        for (const order of ['join first', 'earn first']) {
          const userId = `${index} ${order}`
          const fan = { id: userId, provider: 'p', subject: userId, createdAt: at, updatedAt: at }
          await db.write(tx => tx.insert(tx.tables.users).values(fan))
          const join = async () => {
            clock.ms = joined ?? 0
            await db.write(tx => joinLeaderboard(tx, userId))
          }
          const earn = async (ref: string) => {
            clock.ms = earned ?? 0
            await db.write(tx => appendEntry(tx, { userId, delta: 5, reason: 'activity', ref }))
          }
          for (const step of order === 'join first' ? [join, () => earn('a')] : [() => earn('a'), join])
            await step()
          await earn('b')
        }
      }
      expect((await findingsOf(db)).findings).toEqual([])
      const { leaderboardScores } = db.tables
      const boards = await db.read.select().from(leaderboardScores)
      // A fan who joined after the period has a score only on the global board.
      expect(boards.filter(({ userId }) => userId.startsWith('0')).map(({ board }) => board)).toEqual([
        'all',
        'all',
      ])
      expect(boards.filter(({ userId }) => userId.startsWith('1'))).toHaveLength(6)
      await db.write(tx => rebuildRankIndex(tx, 'all'))
      expect((await findingsOf(db)).findings).toEqual([])
      await remove()
    })
  })
}

test('a changed byte of an entry in the SQLite file is found at any position', async () => {
  const clock = createClock()
  const { db, url, remove } = await sqliteEngine.open(clock)
  await fill(db, clock)
  await db.close()
  const path = (url ?? '').slice('sqlite:'.length)
  const bytes = Buffer.from(await Bun.file(path).arrayBuffer())
  const copy = `${path}.copy`
  // Every place that holds the text: the entry itself and the indexes over it. In quotes it is the event of the entry, or a trigger.
  for (const text of ['before joining', 'next month', 'pack_refund']) {
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
      if (['"', "'"].includes(bytes.toString('utf8', at - 1, at))) continue
      for (const offset of [0, text.length - 1]) {
        copyFileSync(path, copy)
        const file = openSync(copy, 'r+')
        const byte = Buffer.alloc(1)
        readSync(file, byte, 0, 1, at + offset)
        writeSync(file, Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at + offset)
        const damaged = openDatabase(`sqlite:${copy}`, clock)
        expect({ text, at, found: (await findingsOf(damaged)).findings.length > 0 }).toMatchObject({
          found: true,
        })
        await damaged.close()
        for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true })
      }
    }
  }
  await remove()
})
