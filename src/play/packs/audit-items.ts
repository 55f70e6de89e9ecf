/** Recomputes the history of transferred items, and compares it with their owners. */
import { and, asc, eq, isNotNull, isNull, or } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import type { Finding } from '../../core/finding.ts'
import { hashOfLink, hashOfOwner, originHashOf } from './provenance-chain.ts'

type Item = Tables['userItems']['$inferSelect']
type Link = Tables['itemTransfers']['$inferSelect']

/** Selects items by the fan who drew them. One statement, and so one snapshot: an owner and a link are written together. */
export async function findWrongItems(reader: Reader, range: Range): Promise<Finding[]> {
  const { userItems: items, itemTransfers: links } = reader.tables
  const rows = await reader
    .select({ item: items, link: links })
    .from(items)
    .leftJoin(links, isLinkOf(reader))
    .where(
      and(
        inRange(items.userId, range),
        or(isNotNull(items.ownerId), isNotNull(items.changedHandsAt), isNotNull(links.sequence)),
      ),
    )
    .orderBy(asc(items.collectibleId), asc(items.serialNumber), asc(links.sequence))
  const chains = Map.groupBy(rows, ({ item }) => `${item.collectibleId}/${item.serialNumber}`)
  const findings = [...chains.values()].flatMap(([first, ...more]) =>
    first
      ? auditItem(
          first.item,
          [first, ...more].flatMap(({ link }) => link ?? []),
        )
      : [],
  )
  return [...findings, ...(await findLinksWithoutItem(reader, range))]
}

/** The first wrong link, otherwise the columns of the item that do not follow from the last link. */
function auditItem(item: Item, links: Link[]): Finding[] {
  const { userId, collectibleId, serialNumber } = item
  const found = (column: string, expected: Finding['expected'], actual: Finding['actual']) => {
    const what = `${column} of ${collectibleId}/${serialNumber}`
    return expected === actual ? [] : [{ userId, what, expected, actual }]
  }
  let previousHash = originHashOf(item)
  for (const [index, link] of links.entries()) {
    const hash = hashOfLink({
      ...link,
      ownerHash: hashOfOwner(link.salt, link.ownerId),
      timestamp: textOf(link.createdAt) ?? '',
      previousHash,
    })
    const flaws = [
      ...found('item_transfers.sequence', index + 2, link.sequence),
      ...found('item_transfers.previous_hash', previousHash, link.previousHash),
      ...found('item_transfers.hash', hash, link.hash),
    ]
    if (flaws[0]) return [flaws[0]]
    previousHash = link.hash
  }
  const last = links.at(-1)
  return [
    ...found('user_items.owner_id', last?.ownerId ?? null, item.ownerId),
    ...found('user_items.changed_hands_at', textOf(last?.createdAt), textOf(item.changedHandsAt)),
  ]
}

/** Null also for an invalid time, so that a link with one has another hash. */
const textOf = (time: Date | null | undefined) =>
  time && !Number.isNaN(time.getTime()) ? time.toISOString() : null

async function findLinksWithoutItem(reader: Reader, range: Range): Promise<Finding[]> {
  const { userItems: items, itemTransfers: links } = reader.tables
  const rows = await reader
    .select({ userId: links.ownerId, id: links.collectibleId, serialNumber: links.serialNumber })
    .from(links)
    .leftJoin(items, isLinkOf(reader))
    .where(and(inRange(links.ownerId, range), isNull(items.userId)))
  return rows.map(({ userId, id, serialNumber }) => {
    const what = `user_items.row of ${id}/${serialNumber}`
    return { userId, what, expected: userId, actual: null }
  })
}

function isLinkOf({ tables: { userItems, itemTransfers } }: Pick<Reader, 'tables'>) {
  return and(
    eq(itemTransfers.collectibleId, userItems.collectibleId),
    eq(itemTransfers.serialNumber, userItems.serialNumber),
  )
}
