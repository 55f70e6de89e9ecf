/** Seeds by processes of their own: killed, interrupted, and two at once. */
import { expect, test } from 'bun:test'
import { seedDatabase } from '../../../scripts/seed/seed.ts'
import { createClock, KICK_OFF } from '../../support/clock.ts'
import { dump } from '../../support/dump.ts'
import { type Engine, engines, sqliteEngine } from '../../support/engines.ts'
import { holdAt } from '../../support/hold-at.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { asTyped, runScript, scriptKey, startScript } from '../run-script.ts'
import { options as sixtyFans } from './sixty-fans.ts'

const INSTANT = new Date(KICK_OFF).toISOString()

/** With the key of the processes. */
const options = {
  ...sixtyFans,
  instant: new Date(KICK_OFF),
  nativeTokens: { key: scriptKey, previousKeys: [] },
}

/** The rows of seeds that nothing disturbed, by engine and number of fans. */
const undisturbed = new Map<string, Promise<string[]>>()

async function seedWhole(engine: Engine, fans: number): Promise<string[]> {
  const { db, remove } = await engine.open(createClock())
  await seedDatabase(db, { ...options, fans, exclusive: true })
  const rows = await dump(db)
  await remove()
  return rows
}

const rowsOfWhole = (engine: Engine, fans: number) =>
  undisturbed.getOrInsertComputed(`${engine.name} ${fans}`, () => seedWhole(engine, fans))

/** Several groups on SQLite. */
const FANS = 150

test.each(engines)('a seed that is killed and run again ends in the same state ($name)', async engine => {
  const killed = await engine.open(createClock())
  // Groups are larger on PostgreSQL.
  const fans = engine === sqliteEngine ? FANS : 600
  const parameters = [
    '--fans',
    String(fans),
    '--seed',
    '7',
    '--instant',
    INSTANT,
    '--database',
    killed.url ?? '',
  ]
  const half = `fan-${String(fans / 2).padStart(4, '0')}`
  const release = await holdAt(killed, { table: 'users', row: `NEW.subject > '${half}'` })
  const child = startScript('seed', parameters)
  const { users } = killed.db.tables
  await waitUntil('the first fans are written', async () =>
    (await killed.db.read.select({ id: users.id }).from(users).limit(1)).at(0),
  )
  child.kill('SIGKILL')
  await child.exited
  await release()
  const left = await killed.db.read.select({ id: users.id }).from(users)
  expect(left.length).toBeLessThan(0.7 * fans)
  await seedDatabase(killed.db, { ...options, fans })
  expect(await dump(killed.db)).toEqual(await rowsOfWhole(engine, fans))
  await killed.remove()
})

test.each(engines)('two concurrent seeds give the result of one ($name)', async engine => {
  const both = await engine.open(createClock())
  const parameters = [
    '--fans',
    String(FANS),
    '--seed',
    '7',
    '--instant',
    INSTANT,
    '--json',
    '--database',
    both.url ?? '',
  ]
  const runs = await Promise.all([runScript('seed', parameters), runScript('seed', parameters)])
  expect(runs).toMatchObject([{ code: 0 }, { code: 0 }])
  const written = runs.map(({ out }) => JSON.parse(out).fans)
  expect(written[0] + written[1]).toBe(0.7 * FANS)
  expect(await dump(both.db)).toEqual(await rowsOfWhole(engine, FANS))
  await both.remove()
})

test('Ctrl-C is handled even if nothing is awaited', async () => {
  const { db, url, remove } = await sqliteEngine.open(createClock())
  const child = startScript('seed', ['--fans', '100000', '--exclusive', '--database', url ?? ''])
  const { users } = db.tables
  await waitUntil('the first fans are written', async () =>
    (await db.read.select({ id: users.id }).from(users).limit(1)).at(0),
  )
  child.kill('SIGINT')
  expect(await child.exited).toBe(130)
  expect(asTyped(await new Response(child.stderr).text())).toMatch(
    /Stopped after \d+\. To continue: bun run seed /,
  )
  await remove()
})
