/** Finds rows of a SQLite file that violate a foreign key. Only a file that was written with foreign keys disabled has any. */

type Value = string | number | null

/**
 * Describes each row by its rowid, or by its primary key in a table WITHOUT ROWID. `query` runs a statement and returns the
 * values of its rows.
 */
export function findBrokenReferences(query: (statement: string) => unknown[][]): string[] {
  // Guarantee of the casts: https://sqlite.org/pragma.html documents the columns of each result.
  const broken = query('PRAGMA foreign_key_check') as [string, number | null, string, number][]
  const numbered = broken.filter(([, row]) => row !== null)
  const keyed = broken.filter(([, row]) => row === null)
  const references = new Map(keyed.map(([table, , , id]) => [`${table} ${id}`, { table, id }]))
  return [
    ...numbered.map(([table, row, parent]) => describe(table, row, parent)),
    ...[...references.values()].flatMap(({ table, id }) => findByKey(table, id)),
  ]

  // Guarantee of the casts: the columns of the queries, as arrays.
  function findByKey(table: string, id: number): string[] {
    const columns = query(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0 ORDER BY pk`)
    const [parent, from, to] = query(
      `SELECT "table", "from", "to" FROM pragma_foreign_key_list('${table}') WHERE id = ${id}`,
    )[0] as [string, string, string]
    const missing = `NOT EXISTS (SELECT 1 FROM "${parent}" WHERE "${parent}"."${to}" = "${table}"."${from}")`
    const rows = query(
      `SELECT ${columns.map(([name]) => `"${name}"`)} FROM "${table}" WHERE "${from}" IS NOT NULL AND ${missing}`,
    ) as Value[][]
    return rows.map(key => describe(table, key.join(' '), parent))
  }
}

const describe = (table: string, row: Value, parent: string) =>
  `${table} row ${row} refers to no row of ${parent}`
