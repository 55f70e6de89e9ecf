/** Invariants of items, their histories and trades, checked from their rows only. */
import type { Tables } from '../../db/index.ts'
import { hashOfLink, hashOfOwner, originHashOf } from '../../src/play/packs/provenance-chain.ts'
import { differences } from './differences.ts'

type Row<Name extends keyof Tables> = Tables[Name]['$inferSelect']

export interface ItemRows {
  userItems: Row<'userItems'>[]
  itemTransfers: Row<'itemTransfers'>[]
  trades: Row<'trades'>[]
  tradeItems: Row<'tradeItems'>[]
}

const nameOf = ({ collectibleId, serialNumber }: { collectibleId: string; serialNumber: number }) =>
  `${collectibleId}/${serialNumber}`

/**
 * Who owns an item is what its history comes to when it is replayed from who got it first; each change is by a completed trade of
 * the giver and the receiver, and each item of a completed trade has such a change.
 */
export function itemFaults({ userItems, itemTransfers, trades, tradeItems }: ItemRows): string[] {
  const links = Map.groupBy(itemTransfers, nameOf)
  const byId = new Map(trades.map(trade => [trade.id, trade]))
  const names = new Set(userItems.map(nameOf))
  const completed = tradeItems.filter(({ tradeId }) => byId.get(tradeId)?.status === 'completed')
  const moves = completed.map(item => {
    const trade = byId.get(item.tradeId)
    return `trade:${item.tradeId} ${nameOf(item)} to ${item.side === 'give' ? trade?.toId : trade?.fromId}`
  })
  return [
    ...differences(
      'move',
      moves,
      itemTransfers.map(link => `${link.ref} ${nameOf(link)} to ${link.ownerId}`),
    ),
    ...[...links.keys()].filter(name => !names.has(name)).map(name => `${name}: a history without an item`),
    ...userItems.flatMap(item => replay(item, links.get(nameOf(item)) ?? [], byId)),
  ]
}

function replay(
  item: Row<'userItems'>,
  links: Row<'itemTransfers'>[],
  trades: Map<string, Row<'trades'>>,
): string[] {
  const name = nameOf(item)
  const faults: string[] = []
  let owner = item.userId
  let previousHash = originHashOf(item)
  for (const [index, link] of links.toSorted((a, b) => a.sequence - b.sequence).entries()) {
    const trade = trades.get(link.ref.slice('trade:'.length))
    const hash = hashOfLink({
      ...link,
      ownerHash: hashOfOwner(link.salt, link.ownerId),
      timestamp: link.createdAt.toISOString(),
      previousHash,
    })
    if (link.sequence !== index + 2) faults.push(`${name}: link ${index + 2} is missing`)
    if (link.hash !== hash) faults.push(`${name}: the chain breaks at ${link.sequence}`)
    const parties = [trade?.fromId, trade?.toId].toSorted()
    if (String(parties) !== String([owner, link.ownerId].toSorted()))
      faults.push(`${name}: ${link.sequence} is no change from its owner by its trade`)
    owner = link.ownerId
    previousHash = link.hash
  }
  if ((item.ownerId ?? item.userId) !== owner) faults.push(`${name}: another owner than its history says`)
  return faults
}
