/** The players of a team. */
import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { presentTexts } from '../catalogue/texts.ts'

/** The active ones, by id, in a unit of work, where responses of the cache cannot be read. */
export const listPlayersOf = async (reader: Reader, teamId: string) =>
  (await selectOf(reader, teamId)).map(presentTexts)

const selectOf = prepared((reader: Reader, teamId: string) => {
  const { players } = reader.tables
  const { id, name, imageUrl, translations } = players
  return reader
    .select({ id, teamId: players.teamId, name, imageUrl, translations })
    .from(players)
    .where(and(eq(players.teamId, teamId), eq(players.active, true)))
    .orderBy(asc(id))
})
