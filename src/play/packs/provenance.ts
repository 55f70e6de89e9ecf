/** The history of an item: its origin and each transfer, with the owners as the viewer may see them. */
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import type { Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { isNamed, isVisible } from '../../identity/relations/visibility.ts'
import { fanHandles } from '../../identity/users/public-profile.ts'
import { collectibleColumns } from './packs.ts'
import { packProblems } from './problems.ts'
import { hashOfOwner, originHashOf, sourceOf } from './provenance-chain.ts'
import type { Provenance } from './provenance-schema.ts'

type Serial = Record<'collectibleId' | 'serialNumber', string>

/** Public. @throws DomainError `item_not_found` */
export async function readProvenance(
  reader: Reader,
  { userId: viewerId }: Viewer,
  { collectibleId, serialNumber: digits }: Serial,
): Promise<Provenance> {
  const serialNumber = Number(digits)
  const isNumber = Number.isSafeInteger(serialNumber)
  const [made] = isNumber ? await selectItem(reader, viewerId, collectibleId, serialNumber) : []
  if (!made) throw new DomainError(packProblems.item_not_found)
  const { item, collectible, ...first } = made
  const { name, imageUrl, rarity } = presentTexts(collectible)
  const links = await selectLinks(reader, viewerId, collectibleId, serialNumber)
  return {
    collectibleId,
    serialNumber,
    name,
    imageUrl,
    rarity,
    origin: {
      source: sourceOf(item),
      owner: presentOwner(first),
      at: item.createdAt.toISOString(),
      hash: originHashOf(item),
    },
    transfers: links.map(({ link, ...owner }) => ({
      sequence: link.sequence,
      ref: link.ref,
      owner: presentOwner(owner),
      ownerHash: hashOfOwner(link.salt, link.ownerId),
      at: link.createdAt.toISOString(),
      previousHash: link.previousHash,
      hash: link.hash,
    })),
  }
}

interface SeenOwner {
  /** Null for an erased fan. */
  fanId: string | null
  handle: string | null
  isHandleShown: boolean | null
}

const presentOwner = ({ fanId, handle, isHandleShown }: SeenOwner) =>
  fanId === null
    ? { state: 'erased' as const, handle: null }
    : { state: 'active' as const, handle: isHandleShown ? handle : null }

function ownerColumns(reader: Reader, viewerId: string, fan: Fan) {
  const isHandleShown = sql<boolean>`(${isVisible(reader, viewerId, fan.userId)}
    and ${isNamed(reader, viewerId, fan.userId)})`
  return { fanId: fan.userId, handle: fan.handle, isHandleShown: isHandleShown.mapWith(Boolean) }
}

/** Whether histories of items show the viewer the handle of this fan. */
export async function isOwnerNamed(reader: Reader, viewerId: string, fanId: string): Promise<boolean> {
  return (await selectOwner(reader, viewerId, fanId))?.isHandleShown === true
}

const selectOwner = preparedRow((reader: Reader, viewerId: string, fanId: string) => {
  const fan = fansOf(reader)
  return reader
    .select(ownerColumns(reader, viewerId, fan))
    .from(fan)
    .where(eq(fan.userId, fanId))
})

const fansOf = (reader: Reader) => fanHandles(reader).as('fan')
type Fan = ReturnType<typeof fansOf>

const selectItem = prepared(
  (reader: Reader, viewerId: string, collectibleId: string, serialNumber: number) => {
    const { userItems, collectibles } = reader.tables
    const fan = fansOf(reader)
    const collectible = collectibleColumns(reader)
    return reader
      .select({ item: userItems, collectible, ...ownerColumns(reader, viewerId, fan) })
      .from(userItems)
      .innerJoin(collectibles, eq(collectibles.id, userItems.collectibleId))
      .leftJoin(fan, eq(fan.userId, userItems.userId))
      .where(and(eq(userItems.collectibleId, collectibleId), eq(userItems.serialNumber, serialNumber)))
  },
)

const selectLinks = prepared(
  (reader: Reader, viewerId: string, collectibleId: string, serialNumber: number) => {
    const { itemTransfers } = reader.tables
    const fan = fansOf(reader)
    return reader
      .select({ link: itemTransfers, ...ownerColumns(reader, viewerId, fan) })
      .from(itemTransfers)
      .leftJoin(fan, eq(fan.userId, itemTransfers.ownerId))
      .where(
        and(eq(itemTransfers.collectibleId, collectibleId), eq(itemTransfers.serialNumber, serialNumber)),
      )
      .orderBy(asc(itemTransfers.sequence))
  },
)
