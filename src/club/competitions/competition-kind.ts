/** Competitions in which fans predict: until when, and for how many points. A match names one by its id. */
import { and, asc, eq, inArray, isNotNull } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { Closed, Integer, OneOf } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { SETTINGS } from '../../platform/config/settings.ts'
import { Active, EntrySlug, Maybe } from '../catalogue/entry-schema.ts'
import { declarePlainKind } from '../catalogue/plain-kind.ts'
import { presentTexts, Text } from '../catalogue/texts.ts'

const Points = (description: string) => Integer({ minimum: 0, maximum: 1_000_000, description })

export const PredictionPoints = Closed(
  {
    exact: Points('For both scores.'),
    difference: Points('For the goal difference.'),
    outcome: Points('For home win, draw or away win.'),
  },
  { description: 'Points of a prediction by its best hit.' },
)
export type PredictionPoints = Static<typeof PredictionPoints>

export const Deadline = OneOf(['match', 'round'], {
  description:
    'When predictions close: at the kick-off of their match, or all of a round at the first kick-off of the round.',
})
type Deadline = Static<typeof Deadline>

export const Joker = Integer({
  minimum: 1,
  maximum: 100,
  description: 'How many predictions a fan can double in a season, at most one of a round. Null: none.',
})

export const Crowd = Type.Boolean({
  description: 'Whether the points of an outcome grow by the share of fans who chose another one.',
})

/** Those of a club that has stated no settings. */
const DEFAULT_POINTS: PredictionPoints = {
  exact: SETTINGS.predictionPointsExact.fallback,
  difference: SETTINGS.predictionPointsDifference.fallback,
  outcome: SETTINGS.predictionPointsOutcome.fallback,
}

export const competitionKind = declarePlainKind({
  kind: 'competition',
  list: 'competitions',
  about: 'A competition, with its rules for predictions. A match names it in `competition`.',
  schema: Closed(
    {
      id: EntrySlug('Slug of the competition, which matches name in `competition`.'),
      name: Text(100, 'What fans see.'),
      deadline: Type.Optional({ ...Deadline, default: 'match' }),
      points: Type.Optional({ ...PredictionPoints, default: DEFAULT_POINTS }),
      joker: Maybe(Joker),
      crowd: Type.Optional({ ...Crowd, default: false }),
      active: Active,
    },
    { title: 'Competition' },
  ),
  givesValue: true,
  table: ({ competitions }) => competitions,
})

const SLUG = /^[a-z0-9][a-z0-9._-]{0,99}$/

export interface Competition {
  id: string
  name: string
  deadline: Deadline
  points: PredictionPoints
  /** Per season. Null: none. */
  joker: number | null
  crowd: boolean
}

/** The active entry that a match names. Undefined: the match has the default competition, whose points are settings. */
export async function findCompetition(
  reader: Reader,
  { competition }: { competition: string },
): Promise<Competition | undefined> {
  // Most names of competitions are no ids: no statement.
  const row = SLUG.test(competition) ? await selectActive(reader, competition) : undefined
  return row && present(row)
}

const selectActive = preparedRow((reader: Reader, id: string) => {
  const { competitions } = reader.tables
  return reader
    .select()
    .from(competitions)
    .where(and(eq(competitions.id, id), eq(competitions.active, true)))
})

/** Guarantee of the casts: only valid entries are written. */
const present = ({
  deadline,
  points,
  joker,
  crowd,
  ...row
}: Tables['competitions']['$inferSelect']): Competition => ({
  id: row.id,
  name: presentTexts(row).name,
  deadline: deadline as Deadline,
  points: JSON.parse(points) as PredictionPoints,
  joker,
  crowd,
})

/** Jokers of a fan per season, by competition, also of those that are not active. One without jokers is left out. */
export async function readJokers(reader: Reader, ids: string[]): Promise<Map<string, number>> {
  const { competitions } = reader.tables
  const { id, joker } = competitions
  const rows = await reader
    .select({ id, joker })
    .from(competitions)
    .where(and(inArray(id, ids), isNotNull(joker)))
  return new Map(rows.flatMap(row => (row.joker === null ? [] : [[row.id, row.joker]])))
}

/** Query for the active competitions whose points depend on how many fans choose an outcome. */
export function selectWithCrowd(reader: Reader) {
  const { competitions } = reader.tables
  return reader
    .select({ id: competitions.id, deadline: competitions.deadline })
    .from(competitions)
    .where(and(eq(competitions.active, true), eq(competitions.crowd, true)))
}

/** The active competitions, by id. */
export const getCompetitions = ({ read, cache }: ReadSource) =>
  cache.get('competitions with points', async () => {
    const { competitions } = read.tables
    const rows = await read
      .select()
      .from(competitions)
      .where(eq(competitions.active, true))
      .orderBy(asc(competitions.id))
    return { value: { competitions: rows.map(present) }, tags: [competitionKind.list] }
  })
