/** The public list of matches, from the response cache: it is the same for every caller. */

import {
  aliasedTable,
  and,
  asc,
  type Column,
  desc,
  eq,
  exists,
  gt,
  gte,
  inArray,
  lt,
  lte,
  max,
  ne,
  not,
  notExists,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { locksShared } from '../../../db/row-lock.ts'
import { parseQueryInstant } from '../../core/instant.ts'
import { type Cursors, cutPage, isAfter, pageOf } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { matchesTag } from '../../platform/cache/tags.ts'
import { presentTexts } from '../catalogue/texts.ts'
import { type Competition, findCompetition, selectWithCrowd } from '../competitions/competition-kind.ts'
import { checkInOf } from './check-in-window.ts'
import { matchProblems } from './problems.ts'
import type { MatchesQuery, Status } from './schema.ts'

export type MatchRow = Tables['matches']['$inferSelect']

type Sources = ReadSource & { cursors: Cursors }

/** A page of the active matches, by kick-off. */
export function getMatches({ read, cache, cursors }: Sources, query: MatchesQuery) {
  const { teamId, status, competition, season, round } = query
  const { limit, cursor } = pageOf(query)
  const [from, to] = [query.from, query.to].map(text => (text === undefined ? null : parseQueryInstant(text)))
  const list = `matches ${JSON.stringify([teamId, status, from, to, competition, season, round])}`
  const after = cursors.decodeTimed(list, cursor)
  return cache.get(`${list} ${limit} ${cursor ?? ''}`, async () => {
    const { matches } = read.tables
    const { kickoffAt, id } = matches
    const rows = await read
      .select()
      .from(matches)
      .where(
        and(
          eq(matches.active, true),
          teamId === undefined
            ? undefined
            : or(eq(matches.homeTeamId, teamId), eq(matches.awayTeamId, teamId)),
          status === undefined ? undefined : eq(matches.status, status),
          competition === undefined ? undefined : eq(matches.competition, competition),
          season === undefined ? undefined : eq(matches.season, season),
          round === undefined ? undefined : eq(matches.round, round),
          from ? gte(kickoffAt, from) : undefined,
          to ? lt(kickoffAt, to) : undefined,
          isAfter(kickoffAt, id, after),
        ),
      )
      .orderBy(asc(kickoffAt), asc(id))
      .limit(limit + 1)
    const { shown, nextCursor } = cutPage(rows, limit, ({ kickoffAt, id }) =>
      cursors.encodeTimed(list, { at: kickoffAt, id }),
    )
    return { value: { matches: shown.map(presentMatch), nextCursor }, tags: [matchesTag] }
  })
}

/** An active match. @throws DomainError `match_not_found` */
export const getMatch = ({ read, cache }: ReadSource, matchId: string) =>
  cache.get(`match ${matchId}`, async () => ({
    value: presentMatch(await requireMatch(read, matchId)),
    tags: [matchesTag],
  }))

/** An active match. @throws DomainError `match_not_found` */
export async function requireMatch(reader: Reader, matchId: string): Promise<MatchRow> {
  const match = await findMatch(reader, matchId)
  if (!match) throw new DomainError(matchProblems.match_not_found)
  return match
}

/** An active match. */
export const findMatch = preparedRow((reader: Reader, matchId: string) => {
  const { matches } = reader.tables
  return reader
    .select()
    .from(matches)
    .where(and(eq(matches.id, matchId), eq(matches.active, true)))
})

/** The competition of any match. Undefined: the default one. */
export async function findCompetitionOf(reader: Reader, matchId: string): Promise<Competition | undefined> {
  const match = await selectCompetition(reader, matchId)
  return match && findCompetition(reader, match)
}

const selectCompetition = preparedRow((reader: Reader, matchId: string) => {
  const { matches } = reader.tables
  return reader.select({ competition: matches.competition }).from(matches).where(eq(matches.id, matchId))
})

/** @throws DomainError `match_not_found` if no active match is of this season */
export async function requireSeason({ read, cache }: ReadSource, season: string): Promise<void> {
  const { matches } = read.tables
  const seasons = await cache.get('seasons of matches', async () => {
    const rows = await read
      .selectDistinct({ season: matches.season })
      .from(matches)
      .where(eq(matches.active, true))
    return { value: rows.map(({ season }) => season), tags: [matchesTag] }
  })
  if (!seasons.includes(season))
    throw new DomainError(matchProblems.match_not_found, { detail: 'There is no match of this season.' })
}

/** The season with the latest kick-off first. */
export async function listSeasons(reader: Reader): Promise<string[]> {
  const { matches } = reader.tables
  const rows = await reader
    .select({ season: matches.season })
    .from(matches)
    .groupBy(matches.season)
    .orderBy(desc(max(matches.kickoffAt)), asc(matches.season))
  return rows.map(({ season }) => season)
}

interface Between {
  matchId: string
  /** Constants, not parameters of the statement. */
  statuses: string[]
  from: Date
  to?: Date
  /** Whether also no match of its round has begun: see `matchesOfRound`. */
  beforeRound?: boolean
}

/** Query for an active match of some statuses with kick-off from `from` to `to`, both inclusive; no row otherwise. */
export function matchBetween(reader: Reader, { matchId, statuses, from, to, beforeRound }: Between) {
  const { matches } = reader.tables
  return reader
    .select({ id: matches.id })
    .from(matches)
    .where(
      and(
        eq(matches.id, matchId),
        eq(matches.active, true),
        inArray(matches.status, statuses),
        gte(matches.kickoffAt, from),
        to && lte(matches.kickoffAt, to),
        beforeRound
          ? notExists(
              matchesOfRound(reader, matches, ({ status, kickoffAt }) =>
                or(ne(status, 'scheduled'), lt(kickoffAt, from)),
              ),
            )
          : undefined,
      ),
    )
}

/**
 * Query for the matches that are to be played and whose competition gives points by how many fans choose an outcome: those whose
 * predictions are closed, or those that fans can predict.
 */
export function selectCrowded(reader: Reader, now: Date, { closed }: { closed: boolean }) {
  const { matches } = reader.tables
  const competition = selectWithCrowd(reader).as('with_crowd')
  const begun = ({ status, kickoffAt }: Pick<Tables['matches'], 'status' | 'kickoffAt'>) =>
    or(ne(status, 'scheduled'), lte(kickoffAt, now))
  // Of a match without round the second part is null.
  const isClosed = sql`coalesce(${or(
    begun(matches),
    and(eq(competition.deadline, 'round'), exists(matchesOfRound(reader, matches, begun))),
  )}, false)`
  return reader
    .select({ id: matches.id })
    .from(matches)
    .innerJoin(competition, eq(competition.id, matches.competition))
    .where(
      and(
        eq(matches.active, true),
        notInArray(matches.status, ['postponed', 'cancelled']),
        closed === true ? isClosed : not(isClosed),
      ),
    )
}

/** `readDeadline` of an active match. Undefined: there is none. */
export async function findDeadline(reader: Reader, matchId: string): Promise<Date | undefined> {
  const match = await findMatch(reader, matchId)
  return match && readDeadline(reader, match, await findCompetition(reader, match))
}

/** When predictions of an active match close, as planned now. */
export async function readDeadline(
  reader: Reader,
  match: MatchRow,
  competition: Competition | undefined,
): Promise<Date> {
  if (competition?.deadline !== 'round' || match.round === null) return match.kickoffAt
  const { competition: name, season, round } = match
  const ofRound = await reader
    .select({ kickoffAt: reader.tables.matches.kickoffAt })
    .from(reader.tables.matches)
    .where(isOfRound(reader.tables.matches, { competition: name, season, round }))
  return new Date(Math.min(...[match, ...ofRound].map(({ kickoffAt }) => kickoffAt.getTime())))
}

/** A unit of work that predicts takes it until the end, so that `lockMatch` waits for it. No row: the match has begun. */
export const lockToPredict = preparedRow((tx: Transaction, matchId: string, now: Date) => {
  const { matches } = tx.tables
  const isOpen = and(eq(matches.status, 'scheduled'), gt(matches.kickoffAt, now))
  return locksShared(
    tx,
    tx
      .select({ id: matches.id })
      .from(matches)
      .where(and(eq(matches.id, matchId), isOpen)),
  )
})

/**
 * The active matches of the round of a match in the statement, which is those of its competition and season with the same `round`,
 * itself included. Postponed and cancelled ones are not played in it. A match without `round` has none.
 */
function matchesOfRound(
  reader: Reader,
  match: Pick<Tables['matches'], 'competition' | 'season' | 'round'>,
  condition: (other: Tables['matches']) => SQL | undefined = () => undefined,
) {
  const other = aliasedTable(reader.tables.matches, 'of_round')
  return reader
    .select({ kickoffAt: other.kickoffAt })
    .from(other)
    .where(and(isOfRound(other, match), condition(other)))
}

const isOfRound = (
  other: Tables['matches'],
  { competition, season, round }: Record<'competition' | 'season' | 'round', Column | string>,
) =>
  and(
    eq(other.competition, competition),
    eq(other.season, season),
    eq(other.round, round),
    eq(other.active, true),
    notInArray(other.status, ['postponed', 'cancelled']),
  )

export function presentMatch({ active: _, createdAt: _c, updatedAt: _u, ...match }: MatchRow) {
  const window = checkInOf(match)
  return {
    ...presentTexts(match),
    // Guarantee of the cast: the constraint `matches_status`.
    status: match.status as Status,
    kickoffAt: match.kickoffAt.toISOString(),
    checkIn: window && { opensAt: window.opensAt.toISOString(), closesAt: window.closesAt.toISOString() },
  }
}

/** Ids of all matches of a competition, also of those that are not active. */
export async function listMatchIds(reader: Reader, competition: string): Promise<string[]> {
  const { matches } = reader.tables
  const rows = await reader
    .select({ id: matches.id })
    .from(matches)
    .where(eq(matches.competition, competition))
  return rows.map(({ id }) => id)
}

/** Whether a match is of a competition and of a season; null: of any. */
export async function hasMatches(
  reader: Reader,
  { competition, season }: { competition: string | null; season: string | null },
): Promise<boolean> {
  const { matches } = reader.tables
  const [found] = await reader
    .select({ id: matches.id })
    .from(matches)
    .where(
      and(
        competition === null ? undefined : eq(matches.competition, competition),
        season === null ? undefined : eq(matches.season, season),
      ),
    )
    .limit(1)
  return found !== undefined
}

/** SQL for whether a match is of a competition and, unless it is null, of a season. */
export const isMatchOf = (
  { tables: { matches } }: Pick<Reader, 'tables'>,
  { matchId, competition, season }: Record<'matchId' | 'competition' | 'season', SQL>,
) =>
  sql`exists (select 1 from ${matches} played where played.id = ${matchId}
    and played.competition = ${competition} and (${season} is null or played.season = ${season}))`
