/** Processes that earn, spend and enrol on one database concurrently: buckets and ranks stay exact. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { rebuildRankIndex } from '../../../src/economy/leaderboard/rank-index/rank-index.ts'
import { readRankedEntry } from '../../../src/economy/leaderboard/ranked-entry.ts'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../../support/processes.ts'
import { readBuckets } from './board-model.ts'

const FANS = 40
const CHANGES = 200
const provider = 'mock-idp'

for (const engine of engines) {
  describe(`Processes on one leaderboard (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let running: RunningProvider
    let apis: RunningApi[]
    const subjects = Array.from({ length: FANS }, (_, n) => `fan-${String(n + 1).padStart(4, '0')}`)

    beforeAll(async () => {
      temporary = await engine.open(createClock())
      running = await startProvider({ fans: 200 })
      const env = { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: running.issuer, IDP_NAME: provider }
      apis = await Promise.all([startApi(env), startApi(env)])
    })
    afterAll(async () => {
      await Promise.all(apis.map(api => api.stop()))
      await running.stop()
      await temporary.remove()
    })

    async function runChanges(seed: number) {
      const command = commandOf('test/economy/leaderboard/changing-process.ts')
      const child = Bun.spawn(
        [...command, temporary.url ?? '', String(seed), String(CHANGES), provider, ...subjects],
        { stdout: 'pipe', stderr: 'pipe' },
      )
      const [output, errors] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      return [await child.exited, output.trim(), errors]
    }

    /** Deadlocks of the database, which other tests use too. */
    const countDeadlocks = async () => {
      if (engine.name !== 'PostgreSQL') return 0
      const [row] = await temporary.db.read
        .select({ deadlocks: sql<number>`deadlocks`.mapWith(Number) })
        .from(sql`pg_stat_database`)
        .where(sql`datname = current_database()`)
      return row?.deadlocks
    }

    const onboard = async (subject: string, n: number): Promise<number> => {
      const token = await running.idp.issueToken(subject)
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await fetch(`${apis[n % 2]?.origin}/api/user/onboarding`, {
        method: 'POST',
        headers,
        body: '{}',
      })
      await answer.text()
      // SQLite's single lock may stay taken for longer than the API waits.
      if (answer.status === 503 && engine.name === 'SQLite') return onboard(subject, n)
      return answer.status
    }

    test('two change points 200 times each while two onboard every fan twice: the buckets equal a rebuilt rank index, and the ranks a full sort', async () => {
      const deadlocksBefore = await countDeadlocks()
      const [first, second, ...statuses] = await Promise.all([
        runChanges(1),
        runChanges(2),
        ...subjects.flatMap((subject, n) => [onboard(subject, n), onboard(subject, n + 1)]),
      ])
      expect([first, second]).toEqual([
        [0, String(CHANGES), ''],
        [0, String(CHANGES), ''],
      ])
      expect(new Set(statuses)).toEqual(new Set([200]))

      const { db } = temporary
      const { leaderboardScores, leaderboardEntries, pointsAccounts } = db.tables
      expect(await db.read.select().from(leaderboardEntries)).toHaveLength(FANS)
      const buckets = await readBuckets(db.read)
      const scores = await db.read.select().from(leaderboardScores)
      const boards = Map.groupBy(scores, ({ board }) => board)
      await db.write(async tx => {
        for (const board of boards.keys()) await rebuildRankIndex(tx, board)
      })
      expect(buckets).toEqual(await readBuckets(db.read))

      for (const [board, rows] of boards) {
        const sorted = rows.toSorted(
          (a, b) =>
            a.minusPoints - b.minusPoints || a.reachedAt - b.reachedAt || (a.userId < b.userId ? -1 : 1),
        )
        for (const [index, { userId }] of sorted.entries())
          expect((await readRankedEntry(db.read, board, userId))?.rank).toBe(index + 1)
      }
      const accounts = await db.read.select().from(pointsAccounts)
      const all = new Map((boards.get('all') ?? []).map(({ userId, minusPoints }) => [userId, -minusPoints]))
      for (const { userId, lifetime } of accounts)
        expect([userId, all.get(userId)]).toEqual([userId, lifetime])

      const entries = await db.read.select().from(db.tables.pointsEntries)
      const booked = (reason: string) => entries.filter(entry => entry.reason === reason).length
      expect(booked('rule_void')).toBeGreaterThan(0)
      expect(booked('rule')).toBeGreaterThanOrEqual(booked('rule_void'))
      const findings: string[] = []
      await verifyLedger(db, { onFinding: ({ what }) => findings.push(what) })
      // These grants have no events, which is a finding of its own.
      expect(findings.filter(what => !what.startsWith('points_entries.delta of '))).toEqual([])

      // All writers lock in one order: the server found no deadlock.
      expect(await countDeadlocks()).toBe(deadlocksBefore)
    })
  })
}
