/** Keyset iteration over lists too long for memory: each page starts after the last key of the page before. */

interface Paging<Key> {
  /** Rows per page. */
  size?: number
  /** Starts after this key. */
  after?: Key
}

const PAGE_ROWS = 500

/** `read` returns up to `limit` rows after a key, in the order of their unique keys. Pages are never empty. */
export async function* eachPage<Row, Key>(
  read: (after: Key | undefined, limit: number) => PromiseLike<Row[]>,
  keyOf: (row: Row) => Key,
  { size = PAGE_ROWS, after }: Paging<Key> = {},
): AsyncGenerator<Row[]> {
  let last = after
  for (;;) {
    const rows = await read(last, size)
    const end = rows.at(-1)
    if (end !== undefined) yield rows
    if (end === undefined || rows.length < size) return
    last = keyOf(end)
  }
}

/** As `eachPage`, row by row. */
export async function* eachRow<Row, Key>(
  read: (after: Key | undefined, limit: number) => PromiseLike<Row[]>,
  keyOf: (row: Row) => Key,
  paging?: Paging<Key>,
): AsyncGenerator<Row> {
  for await (const rows of eachPage(read, keyOf, paging)) yield* rows
}
