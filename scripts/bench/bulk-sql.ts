/** Fills databases with statements for both engines: through the verbs a million fans take hours. */
import { Database as Connection } from 'bun:sqlite'
import { SQL } from 'bun'
import type { Engine } from './databases.ts'

/** SQL: a time, by an expression in milliseconds. */
export const atSql = (engine: Engine, ms: string | number) =>
  engine === 'sqlite' ? `${ms}` : `to_timestamp((${ms}) / 1000.0)`

/** SQL: the numbers from 0, as the rows `n` of `series`. */
export const seriesSql = (count: number) =>
  `WITH RECURSIVE series(n) AS (SELECT cast(0 as bigint) UNION ALL SELECT n + 1 FROM series WHERE n < ${count - 1})`

export async function insertSql(engine: Engine, url: string, statements: string[]): Promise<void> {
  if (engine === 'sqlite') {
    const connection = new Connection(url.slice('sqlite:'.length))
    connection.run('PRAGMA cache_size = -262144')
    for (const statement of statements) connection.run(statement)
    connection.close()
    return
  }
  const client = new SQL(url, { max: 1 })
  for (const statement of statements) await client.unsafe(statement)
  // As autovacuum does soon. Otherwise its first reads set hint bits.
  await client.unsafe('VACUUM ANALYZE')
  await client.close()
}
