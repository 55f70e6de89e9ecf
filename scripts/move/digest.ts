/** What a database holds, in a few lines that two databases can be compared by, whatever their engines. */
import { createHash } from 'node:crypto'
import { and, count, eq, gt, isNull, ne, or } from 'drizzle-orm'
import type { Database, Reader } from '../../db/index.ts'
import { readPages } from '../../db/pages.ts'
import { tablesInOrder } from '../../db/shape.ts'

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
  for (const { table, shape } of tablesInOrder(db.tables)) {
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

/** Accounts of the ledger whose head is not the entry that it names. */
export async function countBrokenHeads(reader: Reader): Promise<number> {
  const { pointsAccounts: accounts, pointsEntries: entries } = reader.tables
  const [row] = await reader
    .select({ broken: count() })
    .from(accounts)
    .leftJoin(entries, and(eq(entries.userId, accounts.userId), eq(entries.seq, accounts.seq)))
    .where(and(gt(accounts.seq, 0), or(isNull(entries.hash), ne(entries.hash, accounts.headHash))))
  return Number(row?.broken)
}
