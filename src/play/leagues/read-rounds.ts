/** Rounds of a league, as its members read them. */
import { and, asc, desc, eq, inArray, lt } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import type { Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import { presentRound, readSides } from './present-round.ts'
import { leagueProblems } from './problems.ts'
import type { LeagueRounds } from './schema.ts'
import { findLeague } from './table.ts'

/** Newest first. @throws DomainError `league_not_found` for a fan who is no member; `invalid_cursor` */
export async function readRounds(
  reader: Reader,
  cursors: Cursors,
  { userId }: Viewer,
  leagueId: string,
  { limit, cursor }: Page,
): Promise<LeagueRounds> {
  const list = `rounds of ${leagueId}`
  const before = cursors.decode(list, cursor)
  const league = await findLeague(reader, userId, leagueId)
  if (!league) throw new DomainError(leagueProblems.league_not_found)
  const { leagueRounds: rounds } = reader.tables
  const rows = await reader
    .select()
    .from(rounds)
    .where(
      and(
        eq(rounds.leagueId, leagueId),
        before === undefined ? undefined : lt(rounds.number, Number(before)),
      ),
    )
    .orderBy(desc(rounds.number))
    .limit(limit + 1)
  const { shown, nextCursor } = cutPage(rows, limit, ({ number }) => cursors.encode(list, number))
  const numbers = shown.map(({ number }) => number)
  const pairs = numbers.length === 0 ? [] : await selectPairs(reader, leagueId, numbers)
  const sideOf = await readSides(reader, userId, leagueId, pairs)
  const byRound = Map.groupBy(pairs, ({ round }) => round)
  return {
    seed: league.seed,
    rounds: shown.map(round => presentRound(round, byRound.get(round.number) ?? [], sideOf)),
    nextCursor,
  }
}

const selectPairs = (reader: Reader, leagueId: string, numbers: number[]) => {
  const { leaguePairs: pairs } = reader.tables
  return reader
    .select()
    .from(pairs)
    .where(and(eq(pairs.leagueId, leagueId), inArray(pairs.round, numbers)))
    .orderBy(asc(pairs.round), asc(pairs.position))
}
