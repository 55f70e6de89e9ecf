/** Gives a fan a collectible without a pack. */
import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { insertItem, nextSerialNumber } from './open-pack.ts'

type Gift = Record<'userId' | 'collectibleId' | 'givenFor', string>

/** `givenFor` identifies the cause: the unique index refuses a second item for the same one. */
export async function giveCollectible(tx: Transaction, gift: Gift): Promise<void> {
  const serialNumber = await nextSerialNumber(tx, gift.collectibleId)
  await insertItem(tx, { ...gift, serialNumber, createdAt: tx.now() })
}

export async function isCollectible(reader: Reader, id: string): Promise<boolean> {
  const { collectibles } = reader.tables
  const rows = await reader.select({ id: collectibles.id }).from(collectibles).where(eq(collectibles.id, id))
  return rows.length > 0
}
