/** The points of settled predictions, in larger statements. */
import { type SQL, sql } from 'drizzle-orm'
import { byName, rowsOfEach } from '../../../db/first-of-each.ts'
import type { Reader } from '../../../db/index.ts'
import { isMatchOf } from '../../club/matches/matches.ts'

/**
 * SQL for the rows of `outer`, a name, each with its settled predictions: of `userId`, in a competition and season, since a time. The
 * last three may be null. `booked` are the points of a prediction.
 */
export function lookUpSettled(
  { tables }: Pick<Reader, 'tables'>,
  outer: SQL,
  { userId, since, ...of }: Record<'userId' | 'competition' | 'season' | 'since', SQL>,
) {
  const { userId: owner, state, settledAt, booked, matchId } = byName(tables.predictions)
  const isSettled = sql`${owner} = ${userId} and ${state} = 'settled' and (${since} is null or ${settledAt} >= ${since})
    and ${isMatchOf({ tables }, { ...of, matchId: sql`${matchId}` })}`
  return { from: rowsOfEach(outer, tables.predictions, isSettled), booked }
}
