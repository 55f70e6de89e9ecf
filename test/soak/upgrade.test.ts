/** A database that the previous version made and filled is migrated to this one: nothing is lost, and the schema is that of a new one. */
import { afterEach, expect, test } from 'bun:test'
import { withRawConnection } from '../db/probe.ts'
import { readTable, readTableNames } from '../db/schema-catalogue.ts'
import { createClock } from '../support/clock.ts'
import { engines, type TemporaryDatabase } from '../support/engines.ts'
import { checkOutPrevious, current } from './versions.ts'

const tidy: (() => unknown)[] = []
afterEach(async () => {
  for (const end of tidy.splice(0).toReversed()) await end()
})

const schemaOf = ({ db, url }: TemporaryDatabase) =>
  withRawConnection({ db, url }, async run => {
    const tables = await readTableNames(run, db.engine)
    return Promise.all(tables.map(async table => [table, await readTable(run, db.engine, table)]))
  })

const countRows = ({ db, url }: TemporaryDatabase) =>
  withRawConnection({ db, url }, async run => {
    const counts: Record<string, number> = {}
    for (const table of await readTableNames(run, db.engine)) {
      const [row] = await run(`SELECT count(*) AS n FROM "${table}"`)
      counts[table] = Number(row?.n)
    }
    return counts
  })

test.each(engines)('a database of the previous version is upgraded ($name)', async engine => {
  const previous = await checkOutPrevious()
  tidy.push(previous.remove)
  process.stderr.write(`from ${previous.name}\n`)
  const temporary = await engine.open(createClock())
  tidy.push(temporary.remove)
  const fresh = await schemaOf(temporary)
  await withRawConnection(temporary, async run => {
    if (temporary.db.engine === 'postgres') return run('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    await run('PRAGMA foreign_keys = OFF')
    const tables = await run(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    for (const { name } of tables) await run(`DROP TABLE "${name}"`)
    return []
  })
  const url = temporary.url ?? ''
  await previous.run('migrate', url)
  await previous.run('seed', url)
  const before = await countRows(temporary)
  expect(before.users).toBeGreaterThan(0)

  await current.run('migrate', url)
  expect(await schemaOf(temporary)).toEqual(fresh)
  expect(await countRows(temporary)).toMatchObject(before)
  await current.run('verify-ledger', url)
  await current.run('verify-quests', url)
})
