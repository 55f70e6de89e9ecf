/** A round with its pairs, as a member sees it. */
import { and, desc, eq, inArray, isNotNull, or } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { type BoardName, nameless, readNames } from '../../identity/relations/board-names.ts'
import type { LeagueRound } from './schema.ts'

type RoundRow = Tables['leagueRounds']['$inferSelect']
type PairRow = Tables['leaguePairs']['$inferSelect']

type SideOf = (number: number) => LeagueRound['pairs'][number]['home']

export function presentRound(
  { number, week, startsAt, endsAt }: RoundRow,
  pairs: PairRow[],
  sideOf: SideOf,
): LeagueRound {
  const bye = pairs.find(({ away }) => away === null)
  return {
    id: String(number),
    week,
    startsAt: startsAt.toISOString(),
    endsAt: endsAt.toISOString(),
    pairs: pairs.flatMap(({ home, away, homePoints, awayPoints }) =>
      away === null ? [] : { home: sideOf(home), away: sideOf(away), homePoints, awayPoints },
    ),
    bye: bye ? sideOf(bye.home) : null,
  }
}

/** Members of pairs, by their numbers. One who has left has no name. */
export async function readSides(
  reader: Reader,
  viewerId: string,
  leagueId: string,
  pairs: PairRow[],
): Promise<SideOf> {
  const { leagueMembers: members } = reader.tables
  const numbers = [...new Set(pairs.flatMap(({ home, away }) => (away === null ? [home] : [home, away])))]
  const isNumbered = and(eq(members.leagueId, leagueId), inArray(members.number, numbers))
  const rows =
    numbers.length === 0
      ? []
      : await reader
          .select({ number: members.number, userId: members.userId })
          .from(members)
          .where(isNumbered)
  const nameOf = await readNames(
    reader,
    viewerId,
    rows.map(({ userId }) => userId),
  )
  const names = new Map(rows.map(({ number, userId }) => [number, nameOf(userId)]))
  return number => {
    const { handle, displayName, avatarUrl }: BoardName = names.get(number) ?? nameless
    return { number, handle, displayName, avatarUrl }
  }
}

/** The last closed round of a league, with the pair of the fan alone. Null if none is closed. */
export async function readLastRound(
  reader: Reader,
  { leagueId, userId, number }: { leagueId: string; userId: string; number: number },
): Promise<LeagueRound | null> {
  const round = await selectLast(reader, leagueId)
  if (!round) return null
  const pairs = await selectOwnPair(reader, leagueId, round.number, number)
  return presentRound(round, pairs, await readSides(reader, userId, leagueId, pairs))
}

const selectLast = preparedRow((reader: Reader, leagueId: string) => {
  const { leagueRounds: rounds } = reader.tables
  return reader
    .select()
    .from(rounds)
    .where(and(eq(rounds.leagueId, leagueId), isNotNull(rounds.closedAt)))
    .orderBy(desc(rounds.number))
    .limit(1)
})

const selectOwnPair = prepared((reader: Reader, leagueId: string, round: number, number: number) => {
  const { leaguePairs: pairs } = reader.tables
  return reader
    .select()
    .from(pairs)
    .where(
      and(
        eq(pairs.leagueId, leagueId),
        eq(pairs.round, round),
        or(eq(pairs.home, number), eq(pairs.away, number)),
      ),
    )
})
