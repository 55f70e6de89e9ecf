/**
 * One list of several, each in an order of its own, by the latest head first. A cursor has the next row of each list, so rows that are
 * written meanwhile move none: every row is on one page, once.
 */

/** A row with its place in its list. */
export interface Placed<Item> {
  /** Orders the rows of its list; the list can be read on from it, itself included. */
  key: string
  at: Date
  item: Item
}

export interface Batch<Item> {
  rows: Placed<Item>[]
  /** Where the list goes on; null: it has ended. There may be no row before it that is shown. */
  next: string | null
}

export interface Source<Item> {
  /** Unique among the sources of a merge, and the same at each page. */
  name: string
  /** The newest rows from a key on, itself included; null: from the newest. In descending order. */
  read(from: string | null, limit: number): Promise<Batch<Item>>
}

/** By the name of a source, its next key. One that is not named has ended. */
export type Positions = Record<string, string>

interface Queue<Item> extends Batch<Item> {
  source: Source<Item>
}

/** Reads of one page beyond the first of each source: what a source leaves out is read in vain. */
const MAX_READS = 20

/**
 * `positions`: null for the first page. Null in the answer: all sources have ended. A page is shorter than the limit where sources read
 * much that is not shown.
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
    const latest = queues.reduce<Queue<Item> | null>(later, null)
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

/** Of equal times the source that is listed first. */
function later<Item>(best: Queue<Item> | null, queue: Queue<Item>): Queue<Item> | null {
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
