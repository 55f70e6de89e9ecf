/** `bun run move --live`, with a process that writes meanwhile. */
import { describe, expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { type Database, DatabaseError, translateDatabaseError } from '../../db/index.ts'
import { moveMarker } from '../../db/marker.ts'
import { runStatement, shapeOf } from '../../db/schema/shape.ts'
import {
  countChanges,
  follow,
  isFollowed,
  isRefusing,
  refuseWrites,
  unfollow,
} from '../../scripts/move/changes.ts'
import { moveLive } from '../../scripts/move/live.ts'
import { seedDatabase } from '../../scripts/seed/seed.ts'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { createClock } from '../support/clock.ts'
import { dump } from '../support/dump.ts'
import { type Engine, engines, noServer, postgresEngine, sqliteEngine } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { runScript, startScript } from './run-script.ts'

const seed = {
  seed: 7,
  fans: 100,
  provider: { name: 'mock-idp', issuer: 'http://localhost:4000' },
  onboardingPoints: 100,
  predictionPoints: { outcome: 10, difference: 15, exact: 25 },
  nativeTokens: { key: { d: 'a signing key' }, previousKeys: [] },
  exclusive: true,
}

const lasting = (rows: string[]) => rows.filter(row => !row.startsWith('["rateLimitWindows"'))

async function opened(from: Engine, to: Engine) {
  const [source, target] = await Promise.all([from.open(createClock()), to.open(createClock())])
  await seedDatabase(source.db, seed)
  const parameters = ['--from', source.url ?? '', '--to', target.url ?? '']
  const remove = () => Promise.all([source.remove(), target.remove()])
  return { source, target, parameters, [Symbol.asyncDispose]: async () => void (await remove()) }
}

type World = Awaited<ReturnType<typeof opened>>

const fansOf = async ({ db }: World['source']) =>
  (await db.read.select({ id: db.tables.users.id }).from(db.tables.users)).length

async function startWriter({ source }: World): Promise<ReturnType<typeof startScript>> {
  const before = await fansOf(source)
  const writer = startScript('../test/scripts/live-writer', [], { env: { DATABASE_URL: source.url ?? '' } })
  await waitUntil('the writer writes', async () => (await fansOf(source)) > before)
  return writer
}

async function raced(from: Engine, to: Engine) {
  await using world = await opened(from, to)
  const { source, target, parameters } = world
  const before = await fansOf(source)
  const writer = await startWriter(world)
  const moved = await runScript('move', [...parameters, '--live', '--json'])
  expect(moved).toMatchObject({ code: 0 })
  const report = JSON.parse(moved.out)
  expect(report.changes).toBeGreaterThan(0)
  expect(report.stoppedMs).toBeLessThan(60_000)
  // It ended by itself, since the source refuses writes.
  expect(await writer.exited).toBe(0)
  expect(await new Response(writer.stdout).text()).toMatch(/refused after \d+/)
  expect(await fansOf(target)).toBeGreaterThan(before)
  expect(await dump(target.db)).toEqual(lasting(await dump(source.db)))
  expect((await verifyLedger(target.db)).findings).toBe(0)

  // What has ended is not begun again: the target is in use.
  const again = await runScript('move', [...parameters, '--live'])
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('This move has ended') })
  expect(await runScript('move', [...parameters, '--abort', '--dry-run'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('The live move would end'),
  })
  expect(await isRefusing(source.db)).toBe(true)
  expect(await runScript('move', [...parameters, '--abort'])).toMatchObject({ code: 0 })
  const { teams } = source.db.tables
  await source.db.write(tx => tx.update(teams).set({ active: false }))
  expect(await isFollowed(source.db)).toBe(false)
}

describe.each(engines)('A live move ($name)', engine => {
  test(
    'from SQLite has every change of a process that writes meanwhile',
    () => raced(sqliteEngine, engine),
    240_000,
  )

  test('that is killed leaves the source in use, and continues', async () => {
    await using world = await opened(engine, sqliteEngine)
    const { source, target, parameters } = world
    const child = startScript('move', [...parameters, '--live'])
    const { users } = target.db.tables
    await waitUntil('the first fans are written', async () =>
      (await target.db.read.select({ id: users.id }).from(users).limit(1)).at(0),
    )
    child.kill('SIGKILL')
    await child.exited
    const { teams, users: fans } = source.db.tables
    await source.db.write(async tx => {
      await tx.update(teams).set({ shortName: 'NEW' })
      await tx.update(fans).set({ bio: 'Changed after the kill.' })
    })
    expect(await isFollowed(source.db)).toBe(true)
    const archived = await runScript('archive', ['--before', 'x', '--out', '/tmp/never'], {
      env: { DATABASE_URL: source.url ?? '' },
    })
    expect(archived).toMatchObject({ code: 1, err: expect.stringContaining('A live move follows') })
    // As after a kill between the refusal and the end.
    await refuseWrites(source.db)
    expect(await runScript('move', [...parameters, '--live'])).toMatchObject({ code: 0 })
    expect(await dump(target.db)).toEqual(lasting(await dump(source.db)))
  })
})

const names = { sourceName: 'source', targetName: 'target' }
const options = { ...names, onRows: () => {}, now: () => performance.now() }
const at = new Date(0)

const fan = (id: string) => ({ id, provider: 'p', subject: id, createdAt: at, updatedAt: at })
const item = (userId: string, position: number, collectibleId: string) => {
  return { userId, shelf: 0, position, collectibleId, serialNumber: 1 }
}

/** Some fans with three items on a shelf. */
async function small(engine: Engine, to = sqliteEngine) {
  const [source, target, other] = await Promise.all(
    [engine, to, sqliteEngine].map(each => each.open(createClock())),
  )
  if (!source || !target || !other) throw new Error('three were opened')
  await source.db.write(async tx => {
    await tx.insert(tx.tables.users).values(['a', 'b', 'c'].map(fan))
    await tx.insert(tx.tables.lockerItems).values(['x', 'y', 'z'].map((id, index) => item('a', index, id)))
  })
  const remove = () => Promise.all([source, target, other].map(each => each.remove()))
  return {
    source: source.db,
    target: target.db,
    other: other.db,
    [Symbol.asyncDispose]: async () => void (await remove()),
  }
}

/** `db` with something to do before each unit of work. */
const hooked = (db: Database, before: () => Promise<unknown>): Database => ({
  ...db,
  async write(work) {
    await before()
    return db.write(work)
  },
})

/** A move that is interrupted after its first rows. */
const interrupted = async (source: Database, target: Database) =>
  expect(moveLive(source, target, { ...options, stopRequested: () => 'SIGTERM' })).rejects.toThrow('SIGTERM')

const rename = (db: Database, id: string, bio: string) =>
  db.write(tx => tx.update(tx.tables.users).set({ bio }).where(eq(tx.tables.users.id, id)))

async function requireMoved(source: Database, target: Database) {
  expect(await dump(target)).toEqual(await dump(source))
  expect(await moveMarker.read(target)).toBeUndefined()
  expect(await isRefusing(source)).toBe(true)
}

describe.each(engines)('moveLive ($name)', engine => {
  test('refuses a source that is followed for another target', async () => {
    await using world = await small(engine)
    const { source, target, other } = world
    await interrupted(source, target)
    await rename(source, 'a', 'Changed.')
    const second = moveLive(source, other, { ...options, targetName: 'other' })
    await expect(second).rejects.toThrow('--abort')
    await moveLive(source, target, options)
    await requireMoved(source, target)
    // Nor after the first one has ended.
    const third = moveLive(source, other, { ...options, targetName: 'other' })
    await expect(third).rejects.toThrow('--abort')
    expect(await isRefusing(source)).toBe(true)
  })

  test('takes no changes that are noted for another target', async () => {
    await using world = await small(engine)
    const { source, target } = world
    let writes = 0
    const before = async () => {
      if (++writes !== 2) return
      await unfollow(source)
      await follow(source, 'of another')
      await rename(source, 'a', 'For the other.')
    }
    await expect(moveLive(source, hooked(target, before), options)).rejects.toThrow('no longer followed')
    expect(await countChanges(source)).toBe(2)
  })

  test('writes nothing into a target whose move another run has ended', async () => {
    await using world = await small(engine)
    const { source, target } = world
    let writes = 0
    const before = async () => {
      if (++writes === 2) await moveLive(source, target, options)
    }
    await expect(moveLive(source, hooked(target, before), options)).rejects.toThrow(
      'another run has ended it',
    )
    await requireMoved(source, target)
  })

  test('that has ended is neither undone nor begun again', async () => {
    await using world = await small(engine)
    const { source, target, other } = world
    expect(await moveLive(source, target, options)).toMatchObject({ movedBefore: false })
    await rename(target, 'a', 'In use.')
    const before = await dump(target)
    expect(await moveLive(source, target, options)).toMatchObject({ movedBefore: true })
    expect(await dump(target)).toEqual(before)
    await expect(moveLive(source, other, options)).rejects.toThrow('--abort')
    expect(await isRefusing(source)).toBe(true)
  })

  test('copies rows that have swapped their unique values', async () => {
    await using world = await small(engine)
    const { source, target } = world
    let swapped = false
    const swap = async () => {
      if (swapped || (await dump(target)).filter(row => row.startsWith('["lockerItems"')).length < 3) return
      swapped = true
      await source.write(async tx => {
        const { lockerItems } = tx.tables
        await tx.delete(lockerItems)
        await tx.insert(lockerItems).values(['z', 'x', 'y'].map((id, index) => item('a', index, id)))
      })
    }
    await moveLive(hooked(source, swap), target, options)
    expect(swapped).toBe(true)
    await requireMoved(source, target)
  })

  test.each([
    { name: 'to SQLite', from: engine, to: sqliteEngine },
    { name: 'from SQLite', from: sqliteEngine, to: engine },
  ])('copies changed rows whose keys have times and booleans, $name', async ({ from, to }) => {
    await using world = await small(from, to)
    const { source, target } = world
    const counted = { kind: 'events', bucket: 1, name: 'x', amount: 1 }
    const division = { id: 'd', name: 'D', scoring: 'points', size: 20, every: 'week', levels: '[]' }
    const period = { divisionId: 'd', endsAt: new Date(9), scoring: 'points', size: 20, levels: '[]' }
    await source.write(async tx => {
      await tx.insert(tx.tables.divisions).values({ ...division, active: true, createdAt: at, updatedAt: at })
    })
    let writes = 0
    const change = async () => {
      if (++writes !== 2) return
      await source.write(async tx => {
        const { seasonCounts, divisionPeriods } = tx.tables
        await tx.insert(seasonCounts).values([true, false].map(stated => ({ ...counted, stated })))
        await tx.insert(divisionPeriods).values([1, 2].map(ms => ({ ...period, startsAt: new Date(ms) })))
        await tx.update(divisionPeriods).set({ size: 10 })
      })
    }
    await moveLive(hooked(source, change), target, options)
    expect(writes).toBeGreaterThan(1)
    await requireMoved(source, target)
  })

  test('fails before the source refuses when a row cannot be copied, and says why without values', async () => {
    await using world = await small(engine)
    const { source, target } = world
    await target.write(tx =>
      runStatement(
        tx,
        sql.raw(
          `CREATE TRIGGER strict BEFORE INSERT ON users WHEN NEW.id = 'b' BEGIN SELECT RAISE(ABORT, 'secret'); END`,
        ),
      ),
    )
    let refused = false
    const watch = async () => {
      if (await isRefusing(source)) refused = true
    }
    const error = await moveLive(source, hooked(target, watch), options).catch(thrown => thrown)
    expect(error.message).toBe('1 changed rows of users cannot be copied: the table is append-only.')
    expect(refused).toBe(false)
    expect(await isFollowed(source)).toBe(true)
    await target.write(tx => runStatement(tx, sql.raw('DROP TRIGGER strict')))
    await moveLive(source, target, options)
    await requireMoved(source, target)
  })

  test('that fails after the refusal lifts it, keeps the first error, and continues', async () => {
    await using world = await small(engine)
    const { source, target } = world
    let failed = 0
    const fill = async () => {
      if (failed || !(await isRefusing(source))) return
      failed++
      throw new DatabaseError('full')
    }
    await expect(moveLive(source, hooked(target, fill), options)).rejects.toThrow('database full')
    expect(failed).toBe(1)
    expect(await isRefusing(source)).toBe(false)
    await rename(source, 'a', 'Written since.')
    expect(await countChanges(source)).toBe(2)
    await moveLive(source, target, options)
    await requireMoved(source, target)
  })

  test('stops at a fault of the target and takes it for no rule of a table', async () => {
    await using world = await small(engine)
    const { source, target } = world
    let writes = 0
    const fill = async () => {
      if (++writes === 2) throw new DatabaseError('full')
    }
    await expect(moveLive(source, hooked(target, fill), options)).rejects.toThrow('database full')
    expect(writes).toBe(2)
  })

  test('refuses an empty target that is marked by another source', async () => {
    await using world = await small(engine)
    const { source, target } = world
    await target.write(tx => moveMarker.write(tx, 'another'))
    await expect(moveLive(source, target, options)).rejects.toThrow('from another source')
    expect(await isFollowed(source)).toBe(false)
  })

  test('leaves a source whose refused writes are the fault read_only', async () => {
    await using world = await small(engine)
    const { source, target } = world
    await moveLive(source, target, options)
    const error = await rename(source, 'a', 'Refused.').catch(translateDatabaseError)
    expect(error).toBeInstanceOf(DatabaseError)
    expect(error).toMatchObject({ fault: 'read_only' })
  })
})

describe.skipIf(noServer !== '')(`A followed source on PostgreSQL (PostgreSQL)${noServer}`, () => {
  test('notes changes of a role without rights on the table of changes', async () => {
    await using world = await small(postgresEngine)
    const { source } = world
    await follow(source, 'a target')
    const { schema, sql: users } = shapeOf(source.tables.users)
    const rolledBack = source.write(async tx => {
      const run = (text: string) => runStatement(tx, sql.raw(text))
      await run('CREATE ROLE of_the_api')
      await run(`GRANT USAGE ON SCHEMA "${schema ?? 'public'}" TO of_the_api`)
      await run(`GRANT SELECT, UPDATE ON ${users} TO of_the_api`)
      await run('SET LOCAL ROLE of_the_api')
      await run(`UPDATE ${users} SET bio = 'Changed.' WHERE id = 'a'`)
      throw new Error('updated')
    })
    await expect(rolledBack).rejects.toThrow('updated')
  })

  test('takes writes again while a backup reads it', async () => {
    await using world = await small(postgresEngine)
    const { source, target } = world
    let read: Promise<unknown> | undefined
    const release = Promise.withResolvers<void>()
    const fail = async () => {
      if (read || !(await isRefusing(source))) return
      // A transaction that has read holds a lock on the table until it ends, as pg_dump does.
      const locked = Promise.withResolvers<void>()
      read = source.snapshot(async reader => {
        await reader.select().from(source.tables.users)
        locked.resolve()
        await release.promise
      })
      await locked.promise
      throw new DatabaseError('full')
    }
    await expect(moveLive(source, hooked(target, fail), options)).rejects.toThrow('database full')
    await rename(source, 'a', 'Written during the backup.')
    release.resolve()
    await read
    await moveLive(source, target, options)
    await requireMoved(source, target)
  })
})

test.skipIf(noServer !== '')(
  `A live move from PostgreSQL has every change of a process that writes meanwhile (PostgreSQL)${noServer}`,
  () => raced(postgresEngine, sqliteEngine),
  240_000,
)
