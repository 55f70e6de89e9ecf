/** Jobs in the console: verifications that outlive their request, one at a time in all processes. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { createTaskLog } from '../../src/core/task-log.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { kindOf } from '../../src/operate/admin/jobs/kinds.ts'
import { createJobs } from '../../src/platform/jobs/jobs.ts'
import { DEAD_MS, listRuns, sweepRuns } from '../../src/platform/jobs/runs.ts'
import { onEachEngine } from '../support/world.ts'
import { heartOf } from './heartbeats.ts'
import { consoleOf } from './support.ts'

onEachEngine(
  'jobs in the console',
  world => {
    const { as } = consoleOf(world)
    const reason = 'Before the audit of the season.'
    const start = (kind: string) => as('owner').post('/api/jobs', { kind, reason })
    const jobs = async () => (await as('owner').get('/api/jobs')).body
    const staff = { id: 'link:Other', name: 'Other' }

    /** A run of another process, which holds at its first pause until it is released. */
    async function startElsewhere(kind: 'verify-ledger' | 'verify-quests') {
      // It pauses between fans.
      await world.db.write(tx => ensureUser(tx, { provider: 'mock-idp', subject: 'read-first' }))
      const [held, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const heart = heartOf(world.db)
      let elapsed = 0
      const other = createJobs({
        kindOf,
        ...world.deps,
        db: heart.db,
        heartbeatMs: 2,
        elapsed: () => (elapsed += 1_000),
        async giveWay() {
          await heart.stop()
          reached.resolve()
          await held.promise
        },
      })
      const run = await world.db.write(tx => other.start(tx, kind, {}, staff))
      if (!run) throw new Error('it did not start')
      await reached.promise
      const release = () => {
        held.resolve()
        return heart.beat()
      }
      return { run, other, beat: heart.beat, release }
    }

    test.each(['verify-ledger', 'verify-quests', 'verify-provenance'])(
      '%s runs to its result',
      async kind => {
        await world.db.write(tx => ensureUser(tx, { provider: 'mock-idp', subject: kind }))
        const { status, body } = await start(kind)
        expect([status, body.state, body.startedBy.name]).toEqual([202, 'running', 'Test owner'])
        await world.deps.jobs.settled()
        const { runs, maintenance } = await jobs()
        expect(runs[0]).toMatchObject({
          id: body.id,
          kind,
          state: 'done',
          findings: 0,
          listed: [],
          error: null,
        })
        expect(runs[0].done).toBeGreaterThan(0)
        const finished = maintenance.find(({ command }: { command: string }) => command === kind)
        if (finished) expect(finished.finishedAt).toBe(runs[0].endedAt)
      },
    )

    test('findings are kept with the run, and do not count as a good verification', async () => {
      const userId = await world.db.write(async tx => {
        const { user } = await ensureUser(tx, { provider: 'mock-idp', subject: 'broken' })
        await tx.insert(tx.tables.leaderboardScores).values({
          ...{ board: 'all', userId: user.id, minusPoints: -5, reachedAt: 0 },
        })
        return user.id
      })
      const before = (await jobs()).maintenance
      world.clock.advance(1_000)
      await start('verify-ledger')
      await world.deps.jobs.settled()
      const { runs, maintenance } = await jobs()
      expect(runs[0].state).toBe('done')
      expect(runs[0].findings).toBeGreaterThan(0)
      expect(JSON.stringify(runs[0].listed)).toContain(userId)
      expect(maintenance).toEqual(before)
      await world.db.write(tx =>
        tx.delete(tx.tables.leaderboardScores).where(eq(tx.tables.leaderboardScores.userId, userId)),
      )
    })

    test('a finding about a quest is listed with the quest', async () => {
      const { quests } = world.db.tables
      const at = world.clock.now()
      const row = { id: 'unversioned', active: false, version: 1, createdAt: at, updatedAt: at }
      await world.db.write(tx => tx.insert(quests).values(row))
      await start('verify-quests')
      await world.deps.jobs.settled()
      await world.db.write(tx => tx.delete(quests).where(eq(quests.id, row.id)))
      expect((await jobs()).runs[0].listed).toEqual([
        {
          ...{ userId: null, questId: row.id, period: null, what: 'quest_versions.row' },
          ...{ expected: 1, actual: null },
        },
      ])
    })

    test('one verification runs at a time in all processes, and another process can cancel it', async () => {
      await world.db.write(tx => ensureUser(tx, { provider: 'mock-idp', subject: 'one' }))
      const { run, other, beat, release } = await startElsewhere('verify-ledger')
      expect((await start('verify-quests')).body.code).toBe('job_running')
      expect((await jobs()).runs[0]).toMatchObject({ id: run.id, state: 'running', isCancelling: false })
      const cancel = () => as('owner').post(`/api/jobs/${run.id}/cancel`, { reason })
      expect((await cancel()).body).toEqual({ cancelling: true })
      expect((await jobs()).runs[0].isCancelling).toBe(true)
      await beat()
      await release()
      await other.settled()
      expect((await jobs()).runs[0]).toMatchObject({ id: run.id, state: 'cancelled', findings: null })
      expect((await cancel()).body.code).toBe('job_not_found')
      expect((await start('verify-quests')).status).toBe(202)
      await world.deps.jobs.settled()
    })

    test('a run of a process that died is shown as failed, and makes room for another', async () => {
      const { run, other, release } = await startElsewhere('verify-quests')
      world.clock.advance(DEAD_MS + 1)
      expect((await jobs()).runs[0]).toMatchObject({ id: run.id, state: 'failed', error: expect.any(String) })
      const next = await start('verify-provenance')
      expect(next.status).toBe(202)
      await world.deps.jobs.settled()
      // A run that was only slow does not overwrite it.
      await release()
      await other.settled()
      const states = (await jobs()).runs.map(({ id, state }: { id: string; state: string }) => [id, state])
      expect(states.slice(0, 2)).toEqual([
        [next.body.id, 'done'],
        [run.id, 'failed'],
      ])
    })

    test('a stop of the process ends its runs as failed', async () => {
      const { run, other, release } = await startElsewhere('verify-ledger')
      const stopped = other.stop()
      await release()
      await stopped
      expect((await jobs()).runs[0]).toMatchObject({ id: run.id, state: 'failed' })
    })

    test('old runs are deleted', async () => {
      world.clock.advance(91 * 86_400_000)
      await sweepRuns(world.db)
      // The session has expired.
      expect(await listRuns(world.db.read)).toEqual([])
    })

    test('the repeated tasks of the process are listed with their last run', async () => {
      const tasks = createTaskLog(world.deps)
      const fails = tasks.watch('fail', 5_000, () => Promise.reject(new Error('no')))
      const works = tasks.watch('work', 1_000, async () => {})
      await works()
      await fails().catch(() => {})
      const { as } = consoleOf(world, () => ({ tasks }))
      const { body } = await as('owner').get('/api/jobs')
      expect(body.tasks).toMatchObject([
        { task: 'fail', everyMs: 5_000, runs: 1, failures: 1, succeeded: false, isRunning: false },
        { task: 'work', everyMs: 1_000, runs: 1, failures: 0, succeeded: true, failedAt: null },
      ])
    })
  },
  { worldPer: 'test' },
)
