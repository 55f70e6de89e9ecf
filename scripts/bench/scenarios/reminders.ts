/**
 * Measures how long “not tipped” takes to reach fans, in the background of a server without other work: until each fan who predicts,
 * and has not predicted the match, has the message.
 */
import { and, count, eq } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import { openDatabase } from '../../../db/index.ts'
import { createSpine } from '../../../src/app/spine.ts'
import { realSources } from '../../../src/core/sources.ts'
import { subjectOf } from '../data.ts'
import type { Engine } from '../databases.ts'
import { PROVIDER } from '../issuer.ts'
import { cpuSecondsOf, sessionCpuSeconds } from '../process.ts'
import { type Bench, row, type Scenario, type ScenarioResult } from '../scenario.ts'
import { waitForEnd } from '../wait-for-end.ts'

const FANS = 1_000_000
/** That each fan has predicted before. */
const EARLIER = ['bench-first', 'bench-second']
const MATCH_ID = 'bench-match'
const BATCH = 5_000
const HOUR_MS = 3_600_000

export const reminders: Scenario = {
  name: 'reminders',
  summary: `Reminding ${FANS.toLocaleString('en')} fans who have not predicted a match`,
  long: true,
  async run(bench) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    for (const engine of bench.options.engines) {
      const took = await remindOnce(bench, engine)
      all.rows.push(
        row(`${engine}, reminded`, 's', [took.seconds], {
          cpu: took.cpuSeconds,
          cpuOfDatabase: took.ofDatabase,
        }),
      )
    }
    return all
  },
}

async function remindOnce({ databases, subjects, options, log }: Bench, engine: Engine) {
  const fans = options.quick ? 2_000 : FANS
  const { url, remove } = await databases.copy(engine, 0)
  const db = openDatabase(url, realSources, { spine: createSpine(), bulk: true })
  try {
    await fill(db, fans)
    log(`${engine}: ${fans} fans have predicted`)
    const running = await subjects.matchdayOn(url)
    try {
      const cpuBefore = cpuSecondsOf(running.pid) ?? Number.NaN
      const databaseBefore = engine === 'postgres' ? sessionCpuSeconds(url) : 0
      const { matchReminders } = db.tables
      const isOwn = and(eq(matchReminders.matchId, MATCH_ID), eq(matchReminders.moment, 'match.not_tipped'))
      let done: typeof matchReminders.$inferSelect | undefined
      await waitForEnd({
        problem: 'no more fans are reminded',
        everyMs: 100,
        async progress() {
          ;[done] = await db.read.select().from(matchReminders).where(isOwn)
          return done?.finishedAt ? null : (done?.cursor ?? 'not begun')
        },
      })
      if (!done?.finishedAt) throw new Error('the end of the reminders is not stored')
      const seconds = (done.finishedAt.getTime() - done.startedAt.getTime()) / 1_000
      const cpuSeconds = (cpuSecondsOf(running.pid) ?? Number.NaN) - cpuBefore
      const ofDatabase = engine === 'postgres' ? sessionCpuSeconds(url) - databaseBefore : null
      const { messages } = db.tables
      const isTold = eq(messages.notificationId, 'not-tipped')
      const [written] = await db.read.select({ messages: count() }).from(messages).where(isTold)
      if (written?.messages !== fans) throw new Error(`${written?.messages} of ${fans} fans have a message`)
      return { seconds, cpuSeconds, ofDatabase }
    } finally {
      await running.stop()
    }
  } finally {
    await db.close()
    await remove()
  }
}

async function fill(db: ReturnType<typeof openDatabase>, fans: number): Promise<void> {
  const now = Date.now()
  const at = new Date(now - 100 * HOUR_MS)
  const stamps = { createdAt: at, updatedAt: at }
  await db.write(async tx => {
    const { teams, matches } = tx.tables
    const team = { shortName: 'BEN', active: true, ...stamps }
    const [homeTeamId, awayTeamId] = ['bench-home', 'bench-away']
    await tx.insert(teams).values([homeTeamId, awayTeamId].map(id => ({ ...team, id, name: id })))
    const match = {
      competition: 'League',
      season: '2026',
      homeTeamId,
      awayTeamId,
      active: true,
      ...stamps,
      revision: 1,
    }
    const kickoffOf = (hours: number) => new Date(now + hours * HOUR_MS)
    await tx
      .insert(matches)
      .values([
        ...EARLIER.map(id => ({ ...match, id, status: 'live', kickoffAt: kickoffOf(-1) })),
        { ...match, id: MATCH_ID, status: 'scheduled', kickoffAt: kickoffOf(2) },
      ])
  })
  const open = {
    homeScore: 1,
    awayScore: 0,
    state: 'open',
    points: 0,
    booked: 0,
    createdAt: at,
    changedAt: at,
  }
  for (let first = 0; first < fans; first += BATCH)
    await db.write(async tx => {
      const ids = Array.from({ length: Math.min(BATCH, fans - first) }, () => tx.newId())
      const users = ids.map((id, nth) => ({
        id,
        provider: PROVIDER,
        subject: subjectOf(first + nth),
        ...stamps,
      }))
      await insertRows(tx, tx.tables.users, users)
      for (const matchId of EARLIER)
        await insertRows(
          tx,
          tx.tables.predictions,
          ids.map(userId => ({ ...open, matchId, userId })),
        )
    })
}
