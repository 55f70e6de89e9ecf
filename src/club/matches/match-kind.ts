/**
 * Imports matches. Status, scores and kick-off follow the revisions: an import of the season's file does not undo what was
 * reported since.
 */
import { eq, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { instantIn } from '../../core/instant.ts'
import { Closed, InstantInput, Integer, Slug } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'
import { compareEntries, completeEntry, type EntryChange, refuseEntry } from '../catalogue/entry.ts'
import { Active, EntrySlug, Line, Maybe } from '../catalogue/entry-schema.ts'
import { declareKind, type ImportOptions, type WriteOptions, type WrittenBefore } from '../catalogue/kind.ts'
import { columnsIn, statedTexts, Text } from '../catalogue/texts.ts'
import { findUnknownSponsor, SponsorId } from '../sponsors/sponsorship.ts'
import { findTeamIds, readCrests } from '../teams/teams.ts'
import type { MatchRow } from './matches.ts'
import { lockMatch, type MatchState, reviseMatch, stateFaults } from './revise.ts'
import { MAX_COMPETITION_LENGTH, MAX_REVISION, MAX_SEASON_LENGTH, Score, Status } from './schema.ts'
import { queueSettlement } from './settlements.ts'

/** A match as an importer states it. */
export const MatchEntry = Closed(
  {
    id: EntrySlug('Slug of the match.'),
    competition: Text(
      MAX_COMPETITION_LENGTH,
      'Id of a competition of the catalogue, whose rules for predictions apply, or the name of any other.',
    ),
    season: Line(
      MAX_SEASON_LENGTH,
      'Like 2026/27. Predictions keep the one with which their settlement began.',
    ),
    round: Maybe(Text(50, 'Like Round 4 or Quarter-final.')),
    homeTeamId: Slug('A team of the catalogue. Cannot change.'),
    awayTeamId: Slug('Another team of the catalogue. Cannot change.'),
    kickoffAt: InstantInput('Kick-off. Changes only with a greater `revision`.'),
    venue: Maybe(Text(100, 'Where it is played.')),
    status: Type.Optional({
      ...Status,
      default: 'scheduled',
      description: 'Changes only with a greater `revision`.',
    }),
    homeScore: Maybe({
      ...Score,
      description: 'Of a live or finished match. Changes only with a greater `revision`.',
    }),
    awayScore: Maybe({ ...Score, description: 'As `homeScore`.' }),
    revision: Type.Optional(
      Integer({
        minimum: 1,
        maximum: MAX_REVISION,
        description:
          'Number of the state of status, scores and kick-off. An entry whose revision is not greater than the stored one leaves these as they are. Default: 1.',
      }),
    ),
    sponsorId: SponsorId,
    active: Active,
  },
  { title: 'Match' },
)
export type MatchEntry = Static<typeof MatchEntry>

async function findUnknownTeams(reader: Reader, entry: MatchEntry, isWritten: WrittenBefore) {
  const { homeTeamId, awayTeamId } = entry
  const known = await findTeamIds(reader, [homeTeamId, awayTeamId])
  const missing = (['homeTeamId', 'awayTeamId'] as const).filter(
    name => !known.has(entry[name]) && !isWritten('teams', entry[name]),
  )
  return missing.map(name => ({ pointer: `/${name}`, message: 'must be a team of the catalogue' }))
}

/** @throws DomainError `catalogue_conflict` if the teams of the match differ, or its state is not valid */
async function writeMatch(
  tx: Transaction,
  entry: MatchEntry,
  options: ImportOptions = {},
): Promise<EntryChange> {
  const { matches } = tx.tables
  const now = tx.now()
  const { id, homeTeamId, awayTeamId } = entry
  const columns = columnsIn(matches, membersOf(entry))
  const created = changeOf(undefined, entry, options)
  const revision = entry.revision ?? 1
  const first = { ...columns, id, homeTeamId, awayTeamId, revision, ...stateOf(entry) }
  const [made] = await tx
    .insert(matches)
    .values({ ...first, createdAt: now, updatedAt: now })
    .onConflictDoNothing()
    .returning()
  if (made) {
    await queueSettlement(tx, made)
    return created
  }
  const locked = await lockMatch(tx, id)
  const change = changeOf(locked, entry, options)
  if (!locked || change.outcome === 'unchanged') return change
  await tx
    .update(matches)
    .set({ ...columns, updatedAt: now })
    .where(eq(matches.id, id))
  const { status, homeScore, awayScore } = locked
  const match = { ...locked, ...columns }
  if (revision > locked.revision) await reviseMatch(tx, match, { revision, ...stateOf(entry, locked) })
  // The revision stays: the system that reports the match counts it.
  else if (change.members.kickoffAt)
    await reviseMatch(tx, match, {
      revision: locked.revision,
      status,
      homeScore,
      awayScore,
      kickoffAt: instantIn(entry.kickoffAt),
    })
  return change
}

function changeOf(row: MatchRow | undefined, entry: MatchEntry, { force }: ImportOptions): EntryChange {
  const { homeTeamId, awayTeamId, revision = 1 } = entry
  const state = stateOf(entry, row)
  const moved = (['homeTeamId', 'awayTeamId'] as const).filter(name => row && row[name] !== entry[name])
  refuseEntry(
    ...moved.map(name => ({ pointer: `/${name}`, message: `must be ${row?.[name]}, and cannot change` })),
  )
  const isNewer = !row || revision > row.revision
  if (isNewer) refuseEntry(...stateFaults(state))
  const { kickoffAt } = state
  const isMoved = row !== undefined && row.kickoffAt.getTime() !== kickoffAt.getTime()
  const stated = isNewer ? { ...state, revision } : force ? { kickoffAt } : {}
  const after = { ...membersOf(entry), homeTeamId, awayTeamId, ...stated }
  const change = compareEntries(row && statedTexts(row), after)
  return isMoved && !('kickoffAt' in stated)
    ? { ...change, kept: { kickoffAt: [row.kickoffAt, kickoffAt] } }
    : change
}

/** What the entry leaves out stays as it is. */
function stateOf(entry: MatchEntry, row?: MatchRow): MatchState {
  const { status, homeScore, awayScore, kickoffAt } = entry
  return {
    status: status ?? row?.status ?? 'scheduled',
    homeScore: homeScore === undefined ? (row?.homeScore ?? null) : homeScore,
    awayScore: awayScore === undefined ? (row?.awayScore ?? null) : awayScore,
    kickoffAt: instantIn(kickoffAt),
  }
}

function membersOf({ competition, season, round, venue, sponsorId, active }: MatchEntry) {
  return {
    competition,
    season,
    round: round ?? null,
    venue: venue ?? null,
    sponsorId: sponsorId ?? null,
    active: active ?? true,
  }
}

const teamIdsOf = (entries: MatchEntry[]) => [
  ...new Set(entries.flatMap(({ homeTeamId, awayTeamId }) => [homeTeamId, awayTeamId])),
]

export const matchKind = declareKind({
  kind: 'match',
  list: 'matches',
  about: 'A match of two teams, which fans predict and check in to.',
  schema: MatchEntry,
  // A result settles predictions.
  givesValue: true,
  // Its state is reported, each time with a greater revision.
  fixed: ['homeTeamId', 'awayTeamId', 'status', 'homeScore', 'awayScore', 'revision'],
  table: ({ matches }) => matches,
  faults: ({ homeTeamId, awayTeamId }) =>
    homeTeamId === awayTeamId ? [{ pointer: '/awayTeamId', message: 'must not be the home team' }] : [],
  async describe(reader, entries) {
    const teams = new Map((await readCrests(reader, teamIdsOf(entries))).map(team => [team.id, team]))
    const days = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'medium',
      timeZone: await timeZoneOf(reader),
    })
    return new Map(
      entries.map(({ id, homeTeamId, awayTeamId, kickoffAt }) => {
        const sides = [homeTeamId, awayTeamId].map(team => teams.get(team) ?? { name: team, crestUrl: null })
        return [
          id,
          {
            title: `${sides.map(({ name }) => name).join(' – ')}, ${days.format(new Date(kickoffAt))}`,
            pictures: sides.flatMap(({ crestUrl }) => crestUrl ?? []),
          },
        ]
      }),
    )
  },
  references: async (reader, entry, { isWritten, isStated }) => [
    ...(await findUnknownTeams(reader, entry, isWritten)),
    ...(await findUnknownSponsor(reader, entry, isStated)),
  ],
  async plan(reader, entry, options = {}) {
    const { matches } = reader.tables
    const [row] = await reader.select().from(matches).where(eq(matches.id, entry.id))
    return changeOf(row, entry, options)
  },
  upsert: writeMatch,
  async read(reader, ids) {
    const { matches } = reader.tables
    const rows = await reader.select().from(matches).where(inArray(matches.id, ids))
    return rows.map(row => {
      const stated = { ...statedTexts(row), kickoffAt: row.kickoffAt.toISOString() }
      // Guarantee of the cast: only valid entries are written.
      return completeEntry(MatchEntry, stated as MatchEntry)
    })
  },
})

export const upsertMatch = (tx: Transaction, entry: MatchEntry, options?: WriteOptions) =>
  matchKind.upsert(tx, entry, options)
