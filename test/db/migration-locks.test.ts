/** The documentation says which locks each migration takes on tables that existed before it. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { expectedMigrations } from '../../db/expected-schema.ts'
import { createClock } from '../support/clock.ts'
import { postgresEngine } from '../support/engines.ts'
import { withRawConnection } from './probe.ts'

/** From the strongest; weaker ones block no request. */
const MODES = ['AccessExclusive', 'Exclusive', 'ShareRowExclusive', 'Share', 'RowExclusive']
const wordsOf = (mode: string) => mode.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toUpperCase()

test('docs/operations.md lists the locks of every migration on PostgreSQL', async () => {
  const opened = await postgresEngine.open(createClock())
  const lines: string[] = []
  await withRawConnection(opened, async run => {
    await run('DROP SCHEMA public CASCADE')
    await run('CREATE SCHEMA public')
    const tables = async () =>
      (
        await run(
          "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'",
        )
      ).map(({ relname }) => String(relname))
    for (const { name, sql } of expectedMigrations('postgres')) {
      const before = await tables()
      await run('BEGIN')
      for (const statement of sql) await run(statement)
      const locks = await run(
        `SELECT relname, mode FROM pg_locks JOIN pg_class ON pg_class.oid = relation
         WHERE pid = pg_backend_pid() AND locktype = 'relation' AND relkind = 'r'`,
      )
      await run('COMMIT')
      const taken = locks.map(({ relname, mode }) => [String(relname), String(mode).replace(/Lock$/, '')])
      const strongest = Map.groupBy(
        before.flatMap(table => {
          const mode = MODES.find(mode => taken.some(([name, held]) => name === table && held === mode))
          return mode === undefined ? [] : [{ table, mode }]
        }),
        ({ mode }) => mode,
      )
      const cell = MODES.flatMap(mode => {
        const names = strongest.get(mode)?.map(({ table }) => `\`${table}\``)
        return names ? [`${wordsOf(mode)}: ${names.toSorted().join(', ')}`] : []
      })
      lines.push(`| \`${name}\` | ${cell.join('; ') || 'none'} |`)
    }
  })
  await opened.remove()
  const page = await Bun.file(join(import.meta.dir, '../../docs/operations.md')).text()
  const documented = page.split('\n').filter(line => /^\| `\d{4}_/.test(line))
  expect(documented).toEqual(lines)
})
