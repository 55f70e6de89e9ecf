/** The data that queries of `Database.snapshot` see. */
import { expect, test } from 'bun:test'
import type { Reader } from '../../db/index.ts'
import { createClock } from '../support/clock.ts'
import { engines, noServer, postgresEngine, type TemporaryDatabase } from '../support/engines.ts'
import { execute, insertTeam, outcome } from './probe.ts'

async function listTeams(reader: Reader) {
  const { teams } = reader.tables
  return (await reader.select({ id: teams.id }).from(teams)).map(({ id }) => id).toSorted()
}

/** Nothing holds a connection: on SQLite the WAL can be truncated, on PostgreSQL all units of work have ended. */
async function expectNothingOpen({ db }: TemporaryDatabase) {
  expect(await db.truncateLog(10_000)).not.toBe(false)
  expect(db.poolLoad()?.transactions ?? 0).toBe(0)
}

test.each(engines)('A snapshot sees no commit after its first query ($name)', async engine => {
  const temporary = await engine.open(createClock())
  const { db } = temporary
  let added = 0
  const { before, after, now } = await db.snapshot(async read => {
    const before = await listTeams(read)
    await db.write(tx => insertTeam(tx, `team-${++added}`))
    await new Promise(resolve => setImmediate(resolve))
    return { before, after: await listTeams(read), now: await listTeams(db.read) }
  })
  expect(before).not.toContain(`team-${added}`)
  expect(after).toEqual(before)
  expect(now).toEqual([...before, `team-${added}`])
  expect(await db.snapshot(listTeams)).toEqual(now)
  await expectNothingOpen(temporary)
  await temporary.remove()
})

test.each(engines)('A snapshot that fails rejects with its error, and ends ($name)', async engine => {
  const temporary = await engine.open(createClock())
  const failure = new Error('stopped')
  const failed = temporary.db.snapshot(async read => {
    await listTeams(read)
    throw failure
  })
  expect(await outcome(failed)).toEqual({ error: failure })
  await expectNothingOpen(temporary)
  expect(await temporary.db.snapshot(listTeams)).toEqual([])
  await temporary.remove()
})

test.skipIf(noServer !== '')(`A snapshot runs again after a conflict (PostgreSQL)${noServer}`, async () => {
  const temporary = await postgresEngine.open(createClock())
  let runs = 0
  await temporary.db.snapshot(async read => {
    // As a standby that cancels a query.
    if (++runs === 1) await execute(read, "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$")
    await listTeams(read)
  })
  expect(runs).toBeGreaterThan(1)
  await expectNothingOpen(temporary)
  await temporary.remove()
})
