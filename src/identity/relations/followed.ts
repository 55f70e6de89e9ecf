/** The fans that a fan follows. */
import { and, eq, isNotNull } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'

/** Their ids, at most `MAX_FOLLOWED`, in any order. */
export async function listFollowed(reader: Reader, userId: string): Promise<string[]> {
  const rows = await selectFollowed(reader, userId)
  return rows.map(({ otherId }) => otherId)
}

const selectFollowed = prepared((reader: Reader, userId: string) => {
  const { fanRelations: relations } = reader.tables
  return reader
    .select({ otherId: relations.otherId })
    .from(relations)
    .where(and(eq(relations.fanId, userId), isNotNull(relations.followedAt)))
})
