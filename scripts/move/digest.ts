/** What a database holds, in a few lines that two databases can be compared by, whatever their engines. */
import { createHash } from 'node:crypto'
import type { Database } from '../../db/index.ts'
import { readPages } from '../../db/pages.ts'
import { tablesToMove } from './copy.ts'

const PAGE_SIZE = 2_000

export interface TableDigest {
  table: string
  rows: number
  /**
   * SHA-256, in lower-case hex, over the rows by primary key: each the JSON array of its columns in the order of the
   * schema, without white space, instants in ISO 8601 in UTC with milliseconds; each ended by a line feed.
   */
  digest: string
}

/** `onRows` hears how many more rows were read. */
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
      // A signal is heard only when the event loop turns, and SQLite alone never turns it.
      await Bun.sleep(0)
    }
    digests.push({ table: shape.name, rows, digest: hash.digest('hex') })
  }
  return digests
}
