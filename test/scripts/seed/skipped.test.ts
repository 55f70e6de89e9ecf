/** Fans that a seed skips, with the reasons. */
import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../../db/index.ts'
import { CommandFailure } from '../../../scripts/command/explain.ts'
import { Interrupted } from '../../../scripts/command/stop.ts'
import { previewSeed } from '../../../scripts/seed/preview.ts'
import { seedDatabase } from '../../../scripts/seed/seed.ts'
import { StaleRowsError } from '../../../scripts/seed/write-rows.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { createClock } from '../../support/clock.ts'
import { dump } from '../../support/dump.ts'
import { engines, sqliteEngine } from '../../support/engines.ts'
import { runScript } from '../run-script.ts'
import { NOTHING, options } from './sixty-fans.ts'

const NONE = { present: 0, taken: 0, erased: 0, elsewhere: 0 }

describe.each(engines)('A seed over existing data ($name)', engine => {
  test('skips erased fans, from a seed or from a sign-in', async () => {
    const { db, remove } = await engine.open(createClock())
    const at = new Date(0)
    const own = { provider: 'mock-idp', subject: 'fan-0002' }
    const signedIn = { provider: 'mock-idp', subject: 'fan-0003' }
    await db.write(tx =>
      tx.insert(tx.tables.users).values({ ...signedIn, id: 'signed-in', createdAt: at, updatedAt: at }),
    )
    expect((await seedDatabase(db, options)).skipped).toEqual({ ...NONE, taken: 1 })
    for (const fan of [own, signedIn]) expect(await db.write(tx => eraseUser(tx, fan))).not.toBeNull()
    const rows = await dump(db)
    const skipped = { ...NONE, present: 40, erased: 2 }
    expect(await seedDatabase(db, options)).toEqual({ ...NOTHING, skipped })
    expect(await dump(db)).toEqual(rows)
    await remove()
  })

  test('skips fans that exist under another provider’s name, and subjects with other records', async () => {
    const { db, remove } = await engine.open(createClock())
    await seedDatabase(db, options)
    const rows = await dump(db)
    const renamed = { ...options, provider: { ...options.provider, name: 'other' } }
    expect(await seedDatabase(db, renamed)).toEqual({ ...NOTHING, skipped: { ...NONE, elsewhere: 42 } })
    expect(await seedDatabase(db, { ...options, seed: 8 })).toEqual({
      ...NOTHING,
      skipped: { ...NONE, taken: 42 },
    })
    expect(await dump(db)).toEqual(rows)
    await remove()
  })

  test('has a preview that matches its result and writes nothing', async () => {
    const { db, remove } = await engine.open(createClock())
    const all = await previewSeed(null, options)
    expect(await previewSeed(db.read, options)).toEqual(all)
    expect(await dump(db)).toEqual([])
    expect(await seedDatabase(db, { ...options, fans: 20 })).toMatchObject({
      teams: all.teams,
      rewards: all.rewards,
      packs: all.packs,
    })
    const { rows: _, ...rest } = NOTHING
    const preview = await previewSeed(db.read, options)
    expect(preview).toEqual({ ...rest, fans: 28, skipped: { ...NONE, present: 14 } })
    expect((await seedDatabase(db, options)).fans).toBe(28)
    await remove()
  })
})

/** A database in which computed rows are always stale when they are written. */
async function openOvertaking() {
  const { db, remove } = await sqliteEngine.open(createClock())
  await seedDatabase(db, { ...options, fans: 0 })
  let writes = 0
  const changing: Database = {
    ...db,
    write: work => (writes++ === 0 ? db.write(work) : Promise.reject(new StaleRowsError())),
  }
  return { db: changing, remove, writes: () => writes }
}

test('A seed gives up after too many concurrent changes', async () => {
  const { db, remove, writes } = await openOvertaking()
  const error = await seedDatabase(db, { ...options, fans: 10 }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CommandFailure)
  expect(String(error)).toContain('failed 51 times in a row')
  expect(writes()).toBe(52)
  await remove()
})

test('A seed with concurrent changes still handles a stop signal', async () => {
  const { db, remove, writes } = await openOvertaking()
  const error = await seedDatabase(db, { ...options, stopRequested: () => 'SIGINT' }).catch(
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Interrupted)) throw error
  expect([error.exitCode, error.done, writes()]).toEqual([130, 0, 2])
  await remove()
})

test('The command reports skipped fans with reasons, and creates no database in a dry run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
  const file = join(folder, 'seed.db')
  const seed = (parameters: string[], env: Record<string, string> = {}) =>
    runScript('seed', ['--fans', '10', '--database', `sqlite:${file}`, ...parameters], { env })

  const dry = await seed(['--dry-run'])
  expect([dry.code, dry.err]).toEqual([0, ''])
  expect(dry.out).toBe(
    'Would write 8 teams, 88 players, 4 seasons, 2 sponsors, 2 documents, 17 rewards, 4 packs, 56 matches, 7 rules, 14 quests, 2 sets, 10 products and 7 fans.\nNothing was written (--dry-run).\n',
  )
  expect(readdirSync(folder)).toEqual([])

  expect((await seed([])).out).toStartWith(
    'Wrote 8 teams, 88 players, 4 seasons, 2 sponsors, 2 documents, 17 rewards, 4 packs, 56 matches, 7 rules, 14 quests, 2 sets, 10 products and 7 fans.\n',
  )
  expect(existsSync(file)).toBe(true)
  const other = await seed(['--seed', '2'])
  expect(other.code).toBe(0)
  expect(other.out).toContain('Skipped 7 fans whose subjects have records')
  for (const parameters of [[], ['--dry-run']]) {
    const renamed = await seed(parameters, { IDP_NAME: 'other' })
    expect(renamed.code).toBe(1)
    expect(renamed.out).toContain("Skipped 7 fans that exist under another provider's name")
  }
  const json = await seed(['--dry-run', '--json'])
  const { rows: _, ...made } = NOTHING
  expect(JSON.parse(json.out)).toEqual({
    ...made,
    skipped: { ...NONE, present: 7 },
    dryRun: true,
  })
  rmSync(folder, { recursive: true })
})
