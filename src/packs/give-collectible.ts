/** Gives a fan a collectible without a pack. */
import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { insertItem, nextSerialNumber } from './open-pack.ts'

interface Gift {
  userId: string
  collectibleId: string
  /** Identifies the cause: each gives one item. */
  givenFor: string
}

/** The unique index on `givenFor` refuses a second item for the same cause. */
export async function giveCollectible(tx: Transaction, gift: Gift): Promise<void> {
  const serialNumber = await nextSerialNumber(tx, gift.collectibleId)
  await insertItem(tx, { ...gift, serialNumber, createdAt: tx.now() })
}

export async function isCollectible(reader: Reader, id: string): Promise<boolean> {
  const { collectibles } = reader.tables
  const rows = await reader.select({ id: collectibles.id }).from(collectibles).where(eq(collectibles.id, id))
  return rows.length > 0
}
