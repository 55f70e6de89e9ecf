/** The table of a fan in a division, as the fan sees it. */
import { asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { presentText } from '../../club/catalogue/texts.ts'
import type { Viewer } from '../../core/caller.ts'
import { readNames } from '../../identity/relations/board-names.ts'
import type { Result } from './close.ts'
import { readTables } from './counting.ts'
import { getDivisions } from './division-set.ts'
import { findPeriod } from './periods.ts'
import type { DivisionTable } from './schema.ts'
import { rankTable, zonesOf } from './zones.ts'

/** By default of the first division in which the fan has a table. */
export async function readDivision(
  reader: Reader,
  { userId }: Viewer,
  divisionId?: string,
): Promise<DivisionTable> {
  const none = { division: null }
  const rows = await selectOwn(reader, userId)
  const own = rows.find(row => divisionId === undefined || row.divisionId === divisionId)
  const division = own && (await getDivisions(reader)).get(own.divisionId)
  const period = own && (await findPeriod(reader, own))
  if (!division || !period) return none
  const { level, number } = own
  const table = await readTables(reader, period, { level, first: number, last: number })
  const { up, down } = zonesOf(period, level, table.length)
  const ranked = rankTable(table, { up, down })
  const me = ranked.find(member => member.userId === userId)
  // Moved to another table between the statements.
  if (!me) return readDivision(reader, { userId }, divisionId)
  const nameOf = await readNames(
    reader,
    userId,
    ranked.map(member => member.userId),
  )
  const { id = '' } = period.levels[level] ?? {}
  const stated = division.levels.find(known => known.id === id)
  return {
    division: {
      id: division.id,
      name: presentText(division.name),
      // The club may have removed it for the next period.
      level: { id, name: presentText(stated?.name ?? id), number: level + 1, of: period.levels.length },
      rank: me.rank,
      size: period.size,
      up,
      down,
      endsAt: period.endsAt.toISOString(),
      entries: ranked.map(({ userId, rank, points, zone }) => {
        const { handle, displayName, avatarUrl } = nameOf(userId)
        return { handle, displayName, avatarUrl, rank, points, zone }
      }),
      last: lastOf(own.result),
    },
  }
}

const selectOwn = prepared((reader: Reader, userId: string) => {
  const { divisionMembers: members } = reader.tables
  return reader.select().from(members).where(eq(members.userId, userId)).orderBy(asc(members.divisionId))
})

function lastOf(result: string | null) {
  if (result === null) return null
  // Guarantee of the cast: only `closeDivisions` writes it.
  const { outcome, level: levelId, rank, points, endsAt } = JSON.parse(result) as Result
  return { outcome, levelId, rank, points, endsAt }
}
