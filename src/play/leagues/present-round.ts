/** A round with its pairs, as a member sees it. */
import { and, eq, inArray, or, sql } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
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
  const sideOf = await readSidesOf(reader, viewerId, pairs)
  return number => sideOf(leagueId, number)
}

async function readSidesOf(reader: Reader, viewerId: string, pairs: PairRow[]) {
  const { leagueMembers: members } = reader.tables
  const numbersOf = Map.groupBy(pairs, ({ leagueId }) => leagueId)
  const playing = [...numbersOf].map(([leagueId, pairs]) =>
    and(
      eq(members.leagueId, leagueId),
      inArray(
        members.number,
        pairs.flatMap(({ home, away }) => (away === null ? [home] : [home, away])),
      ),
    ),
  )
  const { leagueId, number, userId } = members
  const rows =
    playing.length === 0
      ? []
      : await reader
          .select({ leagueId, number, userId })
          .from(members)
          .where(or(...playing))
  const nameOf = await readNames(
    reader,
    viewerId,
    rows.map(({ userId }) => userId),
  )
  const names = new Map(rows.map(({ leagueId, number, userId }) => [`${leagueId} ${number}`, nameOf(userId)]))
  return (leagueId: string, number: number) => {
    const { handle, displayName, avatarUrl }: BoardName = names.get(`${leagueId} ${number}`) ?? nameless
    return { number, handle, displayName, avatarUrl }
  }
}

/** A league and the number of the fan in it. */
interface Playing {
  id: string
  format: string
  number: number
}

/** The last closed round of each league, with the pair of the fan alone. Null if none is closed, and in other formats. */
export async function readLastRounds(
  reader: Reader,
  userId: string,
  leagues: Playing[],
): Promise<(leagueId: string) => LeagueRound | null> {
  const numberIn = new Map(
    leagues.flatMap(({ id, format, number }) => (format === 'table' ? [] : [[id, number]])),
  )
  if (numberIn.size === 0) return () => null
  const rounds = await selectLast(reader, toList([...numberIn.keys()]))
  const { leaguePairs } = reader.tables
  const isOwn = rounds.map(({ leagueId, number: round }) => {
    const number = numberIn.get(leagueId) ?? 0
    return and(
      eq(leaguePairs.leagueId, leagueId),
      eq(leaguePairs.round, round),
      or(eq(leaguePairs.home, number), eq(leaguePairs.away, number)),
    )
  })
  const pairs =
    isOwn.length === 0
      ? []
      : await reader
          .select()
          .from(leaguePairs)
          .where(or(...isOwn))
  const sideOf = await readSidesOf(reader, userId, pairs)
  const own = Map.groupBy(pairs, ({ leagueId }) => leagueId)
  const last = new Map(
    rounds.map(round => [
      round.leagueId,
      presentRound(round, own.get(round.leagueId) ?? [], number => sideOf(round.leagueId, number)),
    ]),
  )
  return leagueId => last.get(leagueId) ?? null
}

const selectLast = prepared((reader: Reader, leagueIds: string) => {
  const { leagueRounds: rounds } = reader.tables
  const newest = sql`(select max(r.number) from ${rounds} r where r.league_id = ${rounds}.league_id and r.closed_at is not null)`
  return reader
    .select()
    .from(rounds)
    .where(and(isListed(reader, rounds.leagueId, leagueIds), eq(rounds.number, newest)))
})
