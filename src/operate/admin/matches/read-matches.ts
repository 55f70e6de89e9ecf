/** Matches as the staff see them, with names of teams and the progress of their settlement. */
import { and, asc, eq, gte, inArray, lt } from 'drizzle-orm'
import type { Reader, Tables } from '../../../../db/index.ts'
import { presentTexts } from '../../../club/catalogue/texts.ts'
import { findCompetition } from '../../../club/competitions/competition-kind.ts'
import { type MatchRow, presentMatch } from '../../../club/matches/matches.ts'
import { matchProblems } from '../../../club/matches/problems.ts'
import { parseQueryInstant } from '../../../core/instant.ts'
import { type Cursors, cutPage, isAfter, type Page } from '../../../core/pagination.ts'
import { DomainError } from '../../../core/problems.ts'
import { countCheckIns } from '../../../play/check-ins/check-in.ts'
import { countPredictions } from '../../../play/predictions/forecast.ts'
import { readSettlementProgress, type SettlementProgress } from '../../../play/predictions/progress.ts'
import { readRulesOf } from '../../../play/predictions/rules.ts'

interface MatchesFilter {
  season?: string
  /** Range of the kick-off; `to` is exclusive. */
  from?: string
  to?: string
}

/** All matches by kick-off, including inactive ones. @throws DomainError `invalid_cursor` */
export async function listAllMatches(
  reader: Reader,
  cursors: Cursors,
  query: MatchesFilter,
  { limit, cursor }: Page,
) {
  const { season } = query
  const [from, to] = [query.from, query.to].map(text => (text === undefined ? null : parseQueryInstant(text)))
  const list = `console matches ${JSON.stringify([from, to, season])}`
  const after = cursors.decodeTimed(list, cursor)
  const { matches } = reader.tables
  const { kickoffAt, id } = matches
  const rows = await reader
    .select()
    .from(matches)
    .where(
      and(
        season === undefined ? undefined : eq(matches.season, season),
        from ? gte(kickoffAt, from) : undefined,
        to ? lt(kickoffAt, to) : undefined,
        isAfter(kickoffAt, id, after),
      ),
    )
    .orderBy(asc(kickoffAt), asc(id))
    .limit(limit + 1)
  const { shown, nextCursor } = cutPage(rows, limit, last =>
    cursors.encodeTimed(list, { at: last.kickoffAt, id: last.id }),
  )
  return { matches: await presentAll(reader, shown), nextCursor }
}

/** @throws DomainError `match_not_found` */
export async function readMatchDetail(reader: Reader, publicUrl: string, matchId: string) {
  const row = await requireStored(reader, matchId)
  const [match] = await presentAll(reader, [row])
  if (!match) throw new Error('each row is presented')
  return {
    ...match,
    progress: await readSettlementProgress(reader, matchId),
    rules: {
      ...(await readRulesOf(reader, row)),
      name: (await findCompetition(reader, row))?.name ?? null,
    },
    checkIns: await countCheckIns(reader, matchId),
    gateUrl: `${publicUrl.replace(/\/$/, '')}/check-in/${encodeURIComponent(matchId)}`,
  }
}

/** Also a match that is switched off. @throws DomainError `match_not_found` */
export async function requireStored(reader: Reader, matchId: string): Promise<MatchRow> {
  const { matches } = reader.tables
  const [row] = await reader.select().from(matches).where(eq(matches.id, matchId))
  if (!row) throw new DomainError(matchProblems.match_not_found)
  return row
}

async function presentAll(reader: Reader, rows: MatchRow[]) {
  if (rows.length === 0) return []
  const { teams, matchSettlements } = reader.tables
  const teamIds = [...new Set(rows.flatMap(({ homeTeamId, awayTeamId }) => [homeTeamId, awayTeamId]))]
  const found = await reader.select().from(teams).where(inArray(teams.id, teamIds))
  const teamOf = new Map(found.map(team => [team.id, presentTeam(team)]))
  const settlements = await reader
    .select({ matchId: matchSettlements.matchId, dueAt: matchSettlements.dueAt })
    .from(matchSettlements)
    .where(
      inArray(
        matchSettlements.matchId,
        rows.map(({ id }) => id),
      ),
    )
  const predictions = await countPredictions(
    reader,
    rows.map(({ id }) => id),
  )
  const names = await readNames(reader, rows)
  const dueAtOf = new Map(settlements.map(({ matchId, dueAt }) => [matchId, dueAt]))
  return rows.map(row => {
    const { homeTeamId, awayTeamId, sponsorId: _, ...match } = presentMatch(row)
    const dueAt = dueAtOf.get(row.id)
    return {
      ...match,
      competition: names.get(row.competition) ?? match.competition,
      home: teamOf.get(homeTeamId) ?? { id: homeTeamId, name: homeTeamId, crestUrl: null },
      away: teamOf.get(awayTeamId) ?? { id: awayTeamId, name: awayTeamId, crestUrl: null },
      active: row.active,
      predictions: predictions.get(row.id) ?? 0,
      settlement: stateOf(dueAt),
    }
  })
}

/** Of the competitions of the catalogue that the matches name, by id. */
async function readNames(reader: Reader, rows: MatchRow[]): Promise<Map<string, string>> {
  const named = new Map(rows.map(row => [row.competition, row]))
  const found = await Promise.all([...named.values()].map(row => findCompetition(reader, row)))
  return new Map(found.flatMap(one => (one ? [[one.id, one.name]] : [])))
}

const stateOf = (dueAt: Date | null | undefined): SettlementProgress['state'] =>
  dueAt === undefined ? 'none' : dueAt === null ? 'done' : 'running'

function presentTeam(row: Tables['teams']['$inferSelect']) {
  const { id, name, crestUrl } = presentTexts(row)
  return { id, name, crestUrl }
}
