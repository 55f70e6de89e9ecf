/** Rows of a SQLite file that refer to missing ones. Foreign keys leave none; a file that was written without them may have some. */

type Value = string | number | null

/**
 * Each of them in words: by its number, or by its key where its table is kept by that and rows have no numbers.
 * `ask` runs a statement, and answers its rows' values.
 */
export function findBrokenReferences(ask: (statement: string) => unknown[][]): string[] {
  // Guarantee of the casts: https://sqlite.org/pragma.html names what each of these answers.
  const broken = ask('PRAGMA foreign_key_check') as [string, number | null, string, number][]
  const numbered = broken.filter(([, row]) => row !== null)
  const keyed = broken.filter(([, row]) => row === null)
  const references = new Map(keyed.map(([table, , , id]) => [`${table} ${id}`, { table, id }]))
  return [
    ...numbered.map(([table, row, parent]) => say(table, row, parent)),
    ...[...references.values()].flatMap(({ table, id }) => findByKey(table, id)),
  ]

  function findByKey(table: string, id: number): string[] {
    const columns = ask(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0 ORDER BY pk`)
    const [parent, from, to] = ask(
      `SELECT "table", "from", "to" FROM pragma_foreign_key_list('${table}') WHERE id = ${id}`,
    )[0] as [string, string, string]
    const missing = `NOT EXISTS (SELECT 1 FROM "${parent}" WHERE "${parent}"."${to}" = "${table}"."${from}")`
    const rows = ask(
      `SELECT ${columns.map(([name]) => `"${name}"`)} FROM "${table}" WHERE "${from}" IS NOT NULL AND ${missing}`,
    ) as Value[][]
    return rows.map(key => say(table, key.join(' '), parent))
  }
}

const say = (table: string, row: Value, parent: string) => `${table} row ${row} refers to no row of ${parent}`
