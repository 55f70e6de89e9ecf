/** The settlement in several processes, one of which is killed half way. */
import { describe, expect, test } from 'bun:test'
import { and, count, eq, isNull } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Database } from '../../../db/index.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { updateMatch } from '../../../src/club/matches/update-match.ts'
import { realSources } from '../../../src/core/sources.ts'
import { recordEvent } from '../../../src/economy/events/record-event.ts'
import { readRankedEntry } from '../../../src/economy/leaderboard/ranked-entry.ts'
import { joinLeaderboard } from '../../../src/economy/points/join-leaderboard.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { settleBatch } from '../../../src/play/predictions/settle-batch.ts'
import { execute } from '../../db/probe.ts'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { countsAttempts } from '../../support/serializable.ts'
import { waitUntil } from '../../support/wait-until.ts'

const FANS = 1_500
/** In the race with a correction. */
const RACING = 300
const MATCH = 'derby'
/** Revision and scores. All predictions are 0:1, 1:1 or 2:1. */
const CORRECTIONS = [
  [3, 1, 1],
  [4, 3, 2],
] as const
/** By the predicted goals of the home team. */
const POINTS_OF_LAST = [0, 0, 15]

/** A finished match in which every third prediction is exact. Its last pass is due. Answers the ids of the fans. */
async function addFinishedMatch(db: Database, fans: number) {
  const at = new Date(Date.now() - 3_600_000)
  const kickoffAt = new Date(at.getTime() + 1)
  const stamps = { createdAt: at, updatedAt: at }
  return db.write(async tx => {
    const { teams, matches, matchSettlements, users, predictions } = tx.tables
    const team = { shortName: 'TST', active: true, ...stamps }
    await tx.insert(teams).values(['home', 'away'].map(id => ({ ...team, id, name: id })))
    const result = { homeScore: 2, awayScore: 1, kickoffAt, revision: 2 }
    const match = { competition: 'Cup', season: '2026', homeTeamId: 'home', awayTeamId: 'away', active: true }
    await tx.insert(matches).values({ ...match, ...result, ...stamps, id: MATCH, status: 'finished' })
    const start = { cursor: '', lastPass: false, dueAt: at, revisedAt: at }
    await tx.insert(matchSettlements).values({ ...result, ...start, matchId: MATCH, action: 'settle' })
    const ids = Array.from({ length: fans }, () => tx.newId())
    await insertRows(
      tx,
      users,
      ids.map(id => ({ id, provider: 'mock-idp', subject: id, ...stamps })),
    )
    const open = { matchId: MATCH, state: 'open', points: 0, booked: 0, createdAt: at, changedAt: at }
    await insertRows(
      tx,
      predictions,
      ids.map((userId, n) => ({ ...open, userId, homeScore: n % 3, awayScore: 1 })),
    )
    return ids
  })
}

const startSettling = (url: string | null) =>
  Bun.spawn([...commandOf('test/play/predictions/settling-process.ts'), url ?? ''], {
    stdout: 'ignore',
    stderr: 'inherit',
  })

async function countSettled(db: Database): Promise<number> {
  const { predictions } = db.tables
  const [row] = await db.read
    .select({ rows: count() })
    .from(predictions)
    .where(eq(predictions.state, 'settled'))
  return Number(row?.rows)
}

describe.each(engines)('A settlement in several processes ($name)', engine => {
  test('continues after SIGKILL, and settles each prediction once', async () => {
    const { db, url, remove } = await engine.open(realSources)
    await addFinishedMatch(db, FANS)
    const { predictions, events, pointsEntries } = db.tables
    const killed = startSettling(url)
    await waitUntil('a batch is committed', async () => (await countSettled(db)) > 0)
    killed.kill('SIGKILL')
    await killed.exited
    const others = [startSettling(url), startSettling(url)]
    expect(await Promise.all(others.map(({ exited }) => exited))).toEqual([0, 0])
    expect(await countSettled(db)).toBe(FANS)
    const rows = await db.read.select().from(predictions)
    expect(rows.filter(({ booked, points }) => booked !== points)).toEqual([])
    const entries = await db.read.select().from(pointsEntries)
    expect(entries.length).toBe(FANS / 3)
    expect(new Set(entries.map(({ delta }) => delta))).toEqual(new Set([25]))
    const isSettled = eq(events.type, 'prediction.settled')
    const recorded = await db.read.select({ rows: count() }).from(events).where(isSettled)
    expect(Number(recorded[0]?.rows)).toBe(FANS)
    await remove()
  })

  test('that are killed at random moments while results are corrected leave the points of the last result', async () => {
    const { db, url, remove } = await engine.open(realSources)
    await addFinishedMatch(db, RACING)
    const { predictions, events } = db.tables
    const countFollowing = async (revision: number) => {
      const follows = eq(predictions.revision, revision)
      const [row] = await db.read.select({ rows: count() }).from(predictions).where(follows)
      return Number(row?.rows)
    }
    const kickoffAt = new Date().toISOString()
    for (const [revision, homeScore, awayScore] of CORRECTIONS) {
      const killed = startSettling(url)
      const update = { revision, status: 'finished' as const, kickoffAt, homeScore, awayScore }
      await db.write(tx => updateMatch(tx, MATCH, update))
      const enough = Math.floor(Math.random() * RACING)
      // It may have ended before the correction was written.
      const other = startSettling(url)
      await waitUntil('batches are committed', async () => (await countFollowing(revision)) >= enough)
      killed.kill('SIGKILL')
      other.kill('SIGKILL')
      await Promise.all([killed.exited, other.exited])
    }
    const others = [startSettling(url), startSettling(url)]
    expect(await Promise.all(others.map(({ exited }) => exited))).toEqual([0, 0])

    const rows = await db.read.select().from(predictions)
    expect(rows.map(({ homeScore, state, booked }) => [homeScore, state, booked])).toEqual(
      rows.map(({ homeScore }) => [homeScore, 'settled', POINTS_OF_LAST[homeScore] ?? -1]),
    )
    // One event of each fan counts: that of the result by which the prediction is settled.
    const isSettled = eq(events.type, 'prediction.settled')
    const counting = await db.read
      .select()
      .from(events)
      .where(and(isSettled, isNull(events.voidedAt)))
    expect(counting.map(({ eventId }) => eventId).toSorted()).toEqual(
      rows.map(({ userId, settledBy }) => `prediction:${userId}:${MATCH}:${settledBy}`).toSorted(),
    )
    // Sums of entries, chains, accounts and events.
    expect((await verifyLedger(db)).findings).toBe(0)
    await remove()
  })

  test('that race a correction leave the boards of predictions as a plain sum of the last result', async () => {
    const { db, url, remove } = await engine.open(realSources)
    const ids = await addFinishedMatch(db, RACING)
    await db.write(async tx => {
      for (const userId of ids) await joinLeaderboard(tx, userId)
    })
    const racing = [startSettling(url), startSettling(url)]
    await waitUntil('a batch is committed', async () => (await countSettled(db)) > 0)
    const kickoffAt = new Date().toISOString()
    const scores = { homeScore: 1, awayScore: 1 }
    await db.write(tx => updateMatch(tx, MATCH, { revision: 3, status: 'finished', kickoffAt, ...scores }))
    expect(await Promise.all(racing.map(({ exited }) => exited))).toEqual([0, 0])
    // The correction may have come after their last batch.
    const others = [startSettling(url), startSettling(url)]
    expect(await Promise.all(others.map(({ exited }) => exited))).toEqual([0, 0])

    const rows = await db.read.select().from(db.tables.predictions)
    const winners = rows.filter(({ homeScore }) => homeScore === 1).map(({ userId }) => userId)
    expect(winners).toHaveLength(RACING / 3)
    const stored = await db.read.select().from(db.tables.leaderboardScores)
    for (const board of ['predictions', 'predictions:2026']) {
      const scored = stored.filter(score => score.board === board)
      expect(scored.map(({ minusPoints }) => minusPoints)).toEqual(winners.map(() => -25))
      const sorted = scored
        .toSorted((a, b) => a.reachedAt - b.reachedAt || (a.userId < b.userId ? -1 : 1))
        .map(({ userId }) => userId)
      expect(sorted.toSorted()).toEqual(winners.toSorted())
      const ranks = await Promise.all(sorted.map(userId => readRankedEntry(db.read, board, userId)))
      expect(ranks.map(entry => entry?.rank)).toEqual(sorted.map((_, index) => index + 1))
    }
    const findings: string[] = []
    await verifyLedger(db, { onFinding: ({ what }) => findings.push(what) })
    expect(findings).toEqual([])
    await remove()
  })
})

/** A unit of work of SQLite has the database for itself. */
const servers = engines.filter(({ name }) => name === 'PostgreSQL')

test.skipIf(countsAttempts !== '').each(servers)(
  `A settlement and a fan who earns points and an event do not deadlock ($name)${countsAttempts}`,
  async engine => {
    const { db, remove } = await engine.open(realSources)
    const [userId = '', ...others] = await addFinishedMatch(db, 30)
    await db.write(async tx => {
      for (const id of [userId, ...others]) await joinLeaderboard(tx, id)
    })
    const points = { outcome: 10, difference: 15, exact: 25 }
    const attempts = { fan: 0, batch: 0 }
    const booked = Promise.withResolvers<void>()
    const blocked = Promise.withResolvers<void>()
    // The fan’s own prediction earns nothing. The buckets are those of fans whose predictions do.
    const fan = db.write(async tx => {
      attempts.fan++
      await appendEntry(tx, { userId, delta: points.exact, reason: 'activity', ref: 'match' })
      booked.resolve()
      await blocked.promise
      await recordEvent(tx, { userId, type: 'profile.completed', data: {} })
    })
    await booked.promise
    const batch = db.write(tx => {
      attempts.batch++
      return settleBatch(tx, MATCH, points, 100)
    })
    await waitUntil('the batch waits', async () => {
      const [row] = await execute(
        db.read,
        'select count(*) as locks from pg_locks l join pg_stat_activity a using (pid) where not granted and a.datname = current_database()',
      )
      return Number(row?.locks) > 0
    })
    blocked.resolve()
    await Promise.all([fan, batch])
    expect(attempts).toEqual({ fan: 1, batch: 1 })
    expect((await verifyLedger(db)).findings).toBe(0)
    await remove()
  },
)
