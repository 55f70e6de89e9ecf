/** Checks whether the items of an offer can be transferred. */

import type { Reader } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { readShelves } from '../lockers/lockers.ts'
import { type ItemReference, nameOfItem, type OwnedItem, restedAt } from '../packs/owners.ts'
import { packProblems } from '../packs/problems.ts'
import { isOwnerNamed } from '../packs/provenance.ts'
import { listUntradable } from '../packs/tradable.ts'
import { tradeProblems } from './problems.ts'

/** An item, and the fan who would give it. */
export interface Giving extends ItemReference {
  side: 'give' | 'want'
  giverId: string
}

type Owners = Map<string, OwnedItem>

export const findNotOwned = (items: Giving[], owners: Owners) =>
  items.find(item => owners.get(nameOfItem(item))?.ownerId !== item.giverId)

/**
 * Finds an item whose ownership the viewer cannot see, neither in its history nor in a locker. An offer for it is refused
 * like an offer for another fan's item, so that offers do not reveal hidden items.
 */
export async function findUnseen(reader: Reader, viewerId: string, ownerId: string, items: Giving[]) {
  if (items.length === 0 || (await isOwnerNamed(reader, viewerId, ownerId))) return undefined
  const { shelves } = (await readShelves(reader, viewerId, ownerId)) ?? { shelves: [] }
  const shown = new Set(shelves.flatMap(shelf => shelf.items.map(nameOfItem)))
  return items.find(item => !shown.has(nameOfItem(item)))
}

/** Finds an item that was transferred less than this time ago. */
export const findResting = (items: Giving[], owners: Owners, now: Date, restHours: number) =>
  items.find(item => {
    const owned = owners.get(nameOfItem(item))
    return owned !== undefined && restedAt(owned, restHours) > now
  })

/** @throws DomainError `item_not_tradable` */
export async function requireTradable(reader: Reader, items: Giving[]): Promise<void> {
  const [first] = await listUntradable(reader, items)
  if (!first) return
  const { collectibleId, serialNumber } = first
  const detail = `Copy ${serialNumber} of ${collectibleId} cannot be traded.`
  throw new DomainError(tradeProblems.item_not_tradable, { detail, collectibleId, serialNumber })
}

export const notOwned = ({ collectibleId, serialNumber }: ItemReference) =>
  new DomainError(packProblems.item_not_owned, {
    detail: `Copy ${serialNumber} of ${collectibleId} is not owned by the fan who would give it.`,
  })

export function resting(
  { collectibleId, serialNumber }: ItemReference,
  item: OwnedItem | undefined,
  restHours: number,
) {
  const until = restedAt(item ?? { changedHandsAt: null }, restHours).toISOString()
  const detail = `Copy ${serialNumber} of ${collectibleId} rests until ${until}.`
  return new DomainError(tradeProblems.item_resting, { detail, collectibleId, serialNumber, until })
}
