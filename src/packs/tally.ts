/** How many packs a fan has, sealed and opened. */
import { and, count, eq, isNull } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'

export interface PacksTally {
  sealed: number
  opened: number
}

/** Packs that were taken back are nobody's. */
export async function tallyPacks(reader: Reader, userId: string): Promise<PacksTally> {
  const [row] = await countPacks(reader, { userId })
  const { all, opened } = row ?? { all: 0, opened: 0 }
  return { sealed: all - opened, opened }
}

const countPacks = prepared<{ userId: string }, { all: number; opened: number }[]>((reader, value) => {
  const { userPacks } = reader.tables
  return reader
    .select({ all: count(), opened: count(userPacks.openedAt) })
    .from(userPacks)
    .where(and(eq(userPacks.userId, value('userId')), isNull(userPacks.revokedAt)))
})
