/**
 * Merges several sorted lists into one, newest first. A cursor contains the next row of each list, so rows that are written
 * meanwhile do not shift pages: every row is on exactly one page.
 */

/** A row with its position in its list. */
export interface Placed<Item> {
  /** The sort key in its list. The list can be read from this key on, inclusive. */
  key: string
  at: Date
  item: Item
}

export interface Batch<Item> {
  rows: Placed<Item>[]
  /** The key of the next read; null at the end. A batch may contain no row to show. */
  next: string | null
}

export interface Source<Item> {
  /** Unique among the sources of a merge, and the same for each page. */
  name: string
  /** Rows from a key on, inclusive, or from the newest for null. In descending order. */
  read(from: string | null, limit: number): Promise<Batch<Item>>
}

/** The next key by name of the source. A source without a key has ended. */
export type Positions = Record<string, string>

interface Queue<Item> extends Batch<Item> {
  source: Source<Item>
}

/** Maximum reads of a page beyond the first of each source: rows that a source leaves out cost reads. */
const MAX_READS = 20

/**
 * `positions`: null for the first page; null in the result at the end. A page may be shorter than the limit if sources read
 * many rows that are not shown.
 */
export async function mergePage<Item>(
  sources: Source<Item>[],
  positions: Positions | null,
  limit: number,
): Promise<{ items: Item[]; positions: Positions | null }> {
  const queues = await Promise.all(
    sources.flatMap(source => {
      const from = positions === null ? null : positions[source.name]
      return from === undefined ? [] : readOn(source, from, limit)
    }),
  )
  const items: Item[] = []
  let reads = 0
  while (items.length < limit) {
    // The head of each list must be known to choose the latest.
    const dry = queues.find(({ rows, next }) => rows.length === 0 && next !== null)
    if (dry) {
      if (reads++ === MAX_READS) break
      Object.assign(dry, await dry.source.read(dry.next, limit))
      continue
    }
    const latest = queues.reduce<Queue<Item> | null>(latestOf, null)
    const placed = latest?.rows.shift()
    if (!placed) break
    items.push(placed.item)
  }
  const rest = queues.flatMap(({ source, rows, next }) => {
    const key = rows[0]?.key ?? next
    return key === null ? [] : [[source.name, key]]
  })
  return { items, positions: rest.length === 0 ? null : Object.fromEntries(rest) }
}

const readOn = async <Item>(
  source: Source<Item>,
  from: string | null,
  limit: number,
): Promise<Queue<Item>> => ({
  source,
  ...(await source.read(from, limit)),
})

/** At equal times, the source that is listed first wins. */
function latestOf<Item>(best: Queue<Item> | null, queue: Queue<Item>): Queue<Item> | null {
  const [head, bestHead] = [queue.rows[0], best?.rows[0]]
  if (!head) return best
  return bestHead && bestHead.at >= head.at ? best : queue
}

/** The batch of rows that were read with one more than the limit. */
export function batchOf<Row, Item>(
  rows: Row[],
  limit: number,
  place: (row: Row) => Placed<Item>,
): Batch<Item> {
  const placed = rows.map(place)
  return { rows: placed.slice(0, limit), next: placed[limit]?.key ?? null }
}
