/** An opened pack as everyone sees it, for sharing: its proof, and the origin of each of its items, are public as well. */
import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import { findPublicFan, type PublicFan } from '../../identity/relations/public-fan.ts'
import { selectDrawn } from './open-pack.ts'

export interface SharedOpening {
  packId: string
  name: string
  openedAt: string
  owner: PublicFan
  items: SharedItem[]
}

interface SharedItem {
  id: string
  name: string
  imageUrl: string | null
  rarity: string
  serialNumber: number
}

/** Null if no pack that is opened has this id, or its fan is erased or hidden by a moderator. */
export async function findSharedOpening(reader: Reader, userPackId: string): Promise<SharedOpening | null> {
  const opened = await selectOpened(reader, userPackId)
  if (!opened?.openedAt) return null
  const owner = await findPublicFan(reader, opened.userId)
  if (!owner) return null
  const { id: packId, name } = presentTexts(opened.pack)
  const items = (await selectDrawn(reader, userPackId)).map(row => {
    const { id, name, imageUrl, rarity, serialNumber } = presentTexts(row)
    return { id, name, imageUrl, rarity, serialNumber }
  })
  return { packId, name, openedAt: opened.openedAt.toISOString(), owner, items }
}

const selectOpened = preparedRow((reader: Reader, userPackId: string) => {
  const { userPacks, packs } = reader.tables
  const { id, name, description, translations } = packs
  return reader
    .select({
      userId: userPacks.userId,
      openedAt: userPacks.openedAt,
      pack: { id, name, description, translations },
    })
    .from(userPacks)
    .innerJoin(packs, eq(packs.id, userPacks.packId))
    .where(and(eq(userPacks.id, userPackId), isNotNull(userPacks.openedAt), isNull(userPacks.revokedAt)))
})
