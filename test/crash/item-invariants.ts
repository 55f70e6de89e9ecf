/** Invariants of items, their histories and trades, checked from their rows only. */
import type { Database, Tables } from '../../db/index.ts'
import { hashOfLink, hashOfOwner, originHashOf } from '../../src/play/packs/provenance-chain.ts'
import { differences } from './differences.ts'

type Row<Name extends keyof Tables> = Tables[Name]['$inferSelect']

export interface ItemRows {
  userItems: Row<'userItems'>[]
  itemTransfers: Row<'itemTransfers'>[]
  trades: Row<'trades'>[]
  tradeItems: Row<'tradeItems'>[]
  fanMerges: Row<'fanMerges'>[]
}

export const readItemRows = async ({
  read,
  tables,
}: Pick<Database, 'read' | 'tables'>): Promise<ItemRows> => ({
  userItems: await read.select().from(tables.userItems),
  itemTransfers: await read.select().from(tables.itemTransfers),
  trades: await read.select().from(tables.trades),
  tradeItems: await read.select().from(tables.tradeItems),
  fanMerges: await read.select().from(tables.fanMerges),
})

const nameOf = ({ collectibleId, serialNumber }: { collectibleId: string; serialNumber: number }) =>
  `${collectibleId}/${serialNumber}`

/**
 * The owner of an item is the result of replaying its history from the first owner; each change is by a completed trade of
 * the giver and the receiver, or by their merge. Each item of a completed trade has such a change, and a merged fan has no item.
 */
export function itemFaults({ userItems, itemTransfers, trades, tradeItems, fanMerges }: ItemRows): string[] {
  const links = Map.groupBy(itemTransfers, nameOf)
  const byId = new Map(trades.map(trade => [trade.id, trade]))
  const names = new Set(userItems.map(nameOf))
  const mergedInto = new Map(fanMerges.map(({ fromId, intoId }) => [fromId, intoId]))
  const completed = tradeItems.filter(({ tradeId }) => byId.get(tradeId)?.status === 'completed')
  const moves = completed.map(item => {
    const trade = byId.get(item.tradeId)
    return `trade:${item.tradeId} ${nameOf(item)} to ${item.side === 'give' ? trade?.toId : trade?.fromId}`
  })
  return [
    ...differences(
      'move',
      moves,
      itemTransfers
        .filter(({ ref }) => ref !== MERGE)
        .map(link => `${link.ref} ${nameOf(link)} to ${link.ownerId}`),
    ),
    ...[...links.keys()].filter(name => !names.has(name)).map(name => `${name}: a history without an item`),
    ...userItems.flatMap(item => replay(item, links.get(nameOf(item)) ?? [], { trades: byId, mergedInto })),
  ]
}

/** The `ref` of a change by a merge. */
const MERGE = 'merge'

function replay(
  item: Row<'userItems'>,
  links: Row<'itemTransfers'>[],
  { trades, mergedInto }: { trades: Map<string, Row<'trades'>>; mergedInto: Map<string, string> },
): string[] {
  const name = nameOf(item)
  const faults: string[] = []
  let owner = item.userId
  let previousHash = originHashOf(item)
  for (const [index, link] of links.toSorted((a, b) => a.sequence - b.sequence).entries()) {
    const trade = trades.get(link.ref.slice('trade:'.length))
    const parties = link.ref === MERGE ? [owner, mergedInto.get(owner)] : [trade?.fromId, trade?.toId]
    const hash = hashOfLink({
      ...link,
      ownerHash: hashOfOwner(link.salt, link.ownerId),
      timestamp: link.createdAt.toISOString(),
      previousHash,
    })
    if (link.sequence !== index + 2) faults.push(`${name}: link ${index + 2} is missing`)
    if (link.hash !== hash) faults.push(`${name}: the chain breaks at ${link.sequence}`)
    if (String(parties.toSorted()) !== String([owner, link.ownerId].toSorted()))
      faults.push(`${name}: ${link.sequence} is no change from its owner by its trade or merge`)
    owner = link.ownerId
    previousHash = link.hash
  }
  if (mergedInto.has(owner)) faults.push(`${name}: a fan who was merged owns it`)
  if ((item.ownerId ?? item.userId) !== owner) faults.push(`${name}: another owner than its history says`)
  return faults
}
