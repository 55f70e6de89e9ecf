/** How many packs a fan has, sealed and opened. */
import { and, count, eq, isNull } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'

export interface PacksTally {
  sealed: number
  opened: number
}

/** Packs that were taken back are nobody's. */
export async function tallyPacks(reader: Reader, userId: string): Promise<PacksTally> {
  const { userPacks } = reader.tables
  const [row] = await reader
    .select({ all: count(), opened: count(userPacks.openedAt) })
    .from(userPacks)
    .where(and(eq(userPacks.userId, userId), isNull(userPacks.revokedAt)))
  const { all, opened } = row ?? { all: 0, opened: 0 }
  return { sealed: all - opened, opened }
}
