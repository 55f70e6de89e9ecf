/** Digests of tables, to compare two databases of any engine. */
import { createHash } from 'node:crypto'
import type { Database } from '../../db/index.ts'
import { readPages } from '../../db/pages.ts'
import { tablesToMove } from './copy.ts'

const PAGE_SIZE = 2_000

export interface TableDigest {
  table: string
  rows: number
  /**
   * SHA-256, in lower-case hex, over the rows in the order of the primary key. Each row is the JSON array of its columns in
   * the order of the schema, without white space, with instants in ISO 8601 in UTC with milliseconds, followed by a line
   * feed.
   */
  digest: string
}

/** @param onRows called with the number of further rows */
export async function digestTables(db: Database, onRows: (rows: number) => void): Promise<TableDigest[]> {
  const digests: TableDigest[] = []
  for (const { table, shape } of tablesToMove(db.tables)) {
    const hash = createHash('sha256')
    let rows = 0
    for await (const page of readPages(db.read, table, PAGE_SIZE)) {
      for (const row of page) {
        hash.update(`${JSON.stringify(shape.columns.map(({ property }) => row[property]))}\n`)
      }
      rows += page.length
      onRows(page.length)
      // SQLite is synchronous: this lets the event loop handle signals.
      await Bun.sleep(0)
    }
    digests.push({ table: shape.name, rows, digest: hash.digest('hex') })
  }
  return digests
}
