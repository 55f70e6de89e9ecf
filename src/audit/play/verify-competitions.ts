/**
 * Compares what predictions and splits took over from matches and competitions with these, as they are or once were: nobody can change
 * their history.
 */
import { and, asc, eq, inArray, isNotNull, or } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { defaultOf } from '../../club/catalogue/texts.ts'
import type { MatchEntry } from '../../club/matches/match-kind.ts'
import { differs, type Finding, readJson } from '../../core/finding.ts'

type Match = Tables['matches']['$inferSelect']
type Stated = Pick<Match, 'competition' | 'season' | 'round' | 'kickoffAt'>
type Past = Map<string, Stated[]>

/** Longer than any unit of work: a competition may be added while a fan predicts. */
const OVERLAP_MS = 60_000

/** What the matches were, each with what it is. */
async function readPast(reader: Reader, matches: Match[]): Promise<Past> {
  const past: Past = new Map(matches.map(match => [match.id, [match]]))
  if (past.size === 0) return past
  const { catalogueRevisions: revisions } = reader.tables
  const rows = await reader
    .select({ id: revisions.entryId, entry: revisions.entry })
    .from(revisions)
    .where(and(eq(revisions.kind, 'match'), inArray(revisions.entryId, [...past.keys()])))
    .orderBy(asc(revisions.entryId), asc(revisions.revision))
  for (const { id, entry } of rows) {
    // Guarantee of the cast: only valid entries are written. `findWrongCatalogue` finds JSON that is none.
    const stated = readJson(entry) as MatchEntry | null | undefined
    if (!stated) continue
    const { competition, season, round, kickoffAt } = stated
    past.get(id)?.push({
      competition: defaultOf(competition),
      season,
      round: round == null ? null : defaultOf(round),
      kickoffAt: new Date(kickoffAt),
    })
  }
  return past
}

/** Ids of competitions that some revision switches off. */
async function readSwitchedOff(reader: Reader): Promise<Set<string>> {
  const { catalogueRevisions: revisions } = reader.tables
  const rows = await reader
    .select({ id: revisions.entryId, entry: revisions.entry })
    .from(revisions)
    .where(eq(revisions.kind, 'competition'))
  // Guarantee of the cast: as above.
  const isOff = (entry: string) => (readJson(entry) as { active?: boolean } | null)?.active === false
  return new Set(rows.flatMap(({ id, entry }) => (isOff(entry) ? [id] : [])))
}

/** The competition of a prediction, and the season and round of its joker, are those that its match has or had. */
export async function findWrongJokers(reader: Reader, range: Range): Promise<Finding[]> {
  const { predictions, matches, competitions } = reader.tables
  const { competition, jokerSeason, jokerRound } = predictions
  const rows = await reader
    .select({ prediction: predictions, match: matches, rules: competitions })
    .from(predictions)
    .innerJoin(matches, eq(matches.id, predictions.matchId))
    .leftJoin(competitions, eq(competitions.id, matches.competition))
    .where(
      and(
        inRange(predictions.userId, range),
        or(isNotNull(competition), isNotNull(jokerSeason), isNotNull(jokerRound), isNotNull(competitions.id)),
      ),
    )
  const differing = rows.filter(
    ({ prediction, match, rules }) =>
      prediction.competition !== (rules?.id ?? null) ||
      (prediction.jokerSeason ?? match.season) !== match.season ||
      (prediction.jokerRound ?? roundOf(match)) !== roundOf(match) ||
      (prediction.jokerSeason === null) !== (prediction.jokerRound === null),
  )
  if (differing.length === 0) return []
  const past = await readPast(reader, [...new Map(differing.map(({ match }) => [match.id, match])).values()])
  const switchedOff = await readSwitchedOff(reader)
  return differing.flatMap(({ prediction, match, rules }) => {
    const { userId, changedAt, ...written } = prediction
    const own = past.get(match.id) ?? [match]
    const found = (column: string, expected: string | null, actual: string | null) =>
      differs(userId, `predictions.${column} of ${match.id}`, expected, actual)
    const isOneOf = (values: (string | null)[], value: string | null) =>
      value !== null && values.includes(value)
    // The default competition is right while the match named no active one.
    const isDefault =
      rules === null ||
      own.some(stated => stated.competition !== rules.id) ||
      switchedOff.has(rules.id) ||
      changedAt.getTime() < rules.createdAt.getTime() + OVERLAP_MS
    const competitions = own.map(stated => stated.competition)
    const isKnown = written.competition === null ? isDefault : isOneOf(competitions, written.competition)
    const findings = isKnown ? [] : found('competition', rules?.id ?? null, written.competition)
    const { jokerSeason: season, jokerRound: round } = written
    if (season === null && round === null) return findings
    return [
      ...findings,
      ...(written.competition === null ? found('joker_round', null, round) : []),
      ...(isOneOf(
        own.map(stated => stated.season),
        season,
      )
        ? []
        : found('joker_season', match.season, season)),
      ...(isOneOf(
        own.map(stated => roundOf({ ...stated, id: match.id })),
        round,
      )
        ? []
        : found('joker_round', roundOf(match), round)),
    ]
  })
}

/** A match without round is a round of its own. */
const roundOf = ({ round, id }: Pick<Match, 'round' | 'id'>) => round ?? id

/** The deadline of a split is a kick-off that its match, or another one of its competition, has or had. */
export async function findWrongDeadlines(reader: Reader): Promise<Finding[]> {
  const { matches, predictionSplits: splits } = reader.tables
  const rows = await reader
    .select({ split: splits, match: matches })
    .from(splits)
    .innerJoin(matches, eq(matches.id, splits.matchId))
  const differing = rows.filter(({ split, match }) => split.kickoffAt.getTime() !== match.kickoffAt.getTime())
  if (differing.length === 0) return []
  const isRelated = inArray(matches.competition, [
    ...new Set(differing.map(({ match }) => match.competition)),
  ])
  const related = await reader
    .select()
    .from(matches)
    .where(
      or(
        isRelated,
        inArray(
          matches.id,
          differing.map(({ match }) => match.id),
        ),
      ),
    )
  const past = await readPast(reader, related)
  return differing.flatMap(({ split, match }) => {
    const isOfCompetition = ({ competition }: Pick<Match, 'competition'>) => competition === match.competition
    const kickoffs = related
      .filter(other => other.id === match.id || isOfCompetition(other))
      .flatMap(({ id }) => past.get(id) ?? [])
      .map(({ kickoffAt }) => kickoffAt.getTime())
    return kickoffs.includes(split.kickoffAt.getTime())
      ? []
      : differs(null, `prediction_splits.kickoff_at of ${match.id}`, match.kickoffAt, split.kickoffAt)
  })
}
