/** Questions as an importer states them. What fans have voted for stays an option. */
import { eq, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import {
  compareEntries,
  completeEntry,
  type EntryChange,
  type EntryFault,
  refuseEntry,
} from '../../club/catalogue/entry.ts'
import type { WrittenBefore } from '../../club/catalogue/kind.ts'
import { columnsOfTexts, statedTexts } from '../../club/catalogue/texts.ts'
import { matchKind } from '../../club/matches/match-kind.ts'
import { findTeamIds } from '../../club/teams/teams.ts'
import { instantIn } from '../../core/instant.ts'
import { declareRestrictedKind } from '../eligibility/kind.ts'
import { columnsOfRequires, normalizeRequires, statedRequires } from '../eligibility/requires.ts'
import { writeBoxes } from './boxes.ts'
import { mayChoose, type Options, QuestionEntry, questionFaults } from './entry-schema.ts'
import { lockQuestion, optionsOf, type QuestionRow, readTally, timesOf } from './questions.ts'
import { findSettlement, queueSettlement } from './settlements.ts'

/** Options without members that are null or left out. */
const normalizeOptions = (options: Options): Options =>
  Array.isArray(options)
    ? options.map(({ id, text, imageUrl = null }) => ({ id, text, imageUrl }))
    : 'scale' in options
      ? { scale: options.scale }
      : { team: options.team }

function contentOf(entry: QuestionEntry) {
  const { id: _, ...members } = completeEntry(QuestionEntry, entry)
  return {
    ...members,
    options: normalizeOptions(entry.options),
    requires: normalizeRequires(entry.requires),
    opensAt: instantIn(entry.opensAt).toISOString(),
    closesAt: instantIn(entry.closesAt).toISOString(),
  }
}

/** The columns of an entry. */
function columnsOf(entry: QuestionEntry) {
  const { options, requires: _, opensAt, closesAt, offsetMs, ...members } = contentOf(entry)
  return {
    ...columnsOfTexts(members),
    ...columnsOfRequires(entry.requires),
    ...timesOf({ opensAt: instantIn(opensAt), closesAt: instantIn(closesAt), offsetMs }),
    options: JSON.stringify(options),
  }
}

function entryOf(row: QuestionRow): QuestionEntry {
  const { opensAt, closesAt, ...stated } = statedTexts(row)
  // Guarantee of the cast: only valid entries are written.
  return completeEntry(QuestionEntry, {
    ...stated,
    options: optionsOf(row),
    requires: statedRequires(row),
    opensAt: opensAt.toISOString(),
    closesAt: closesAt.toISOString(),
  } as QuestionEntry)
}

async function plan(reader: Reader, entry: QuestionEntry): Promise<EntryChange> {
  const [row] = await readRows(reader, [entry.id])
  if (row) refuseEntry(...(await findConflicts(reader, row, entry)))
  return compareEntries(row && contentOf(entryOf(row)), contentOf(entry))
}

/** What fans have voted for, and votes that were settled, stay. */
async function findConflicts(reader: Reader, row: QuestionRow, entry: QuestionEntry): Promise<EntryFault[]> {
  const voted = [...(await readTally(reader, row.id))].filter(([, votes]) => votes > 0)
  if (voted.length === 0) return []
  const { options, kind, opensAt, closesAt } = entry
  const lost = voted.map(([id]) => id).filter(id => !mayChoose(options, id))
  const isSettled = row.closesAt <= reader.now() && (await findSettlement(reader, row.id)) !== undefined
  const moved = isSettled
    ? [
        ...(instantIn(opensAt).getTime() === row.opensAt.getTime() ? [] : ['opensAt']),
        ...(instantIn(closesAt).getTime() === row.closesAt.getTime() ? [] : ['closesAt']),
      ]
    : []
  return [
    ...(kind === row.kind ? [] : [{ pointer: '/kind', message: `must stay ${row.kind}: fans have voted` }]),
    ...(lost.length === 0
      ? []
      : [{ pointer: '/options', message: `must have ${lost.join(', ')}: fans have voted for it` }]),
    ...moved.map(name => ({ pointer: `/${name}`, message: 'cannot change: the votes were settled' })),
  ]
}

async function upsert(tx: Transaction, entry: QuestionEntry): Promise<EntryChange> {
  const { questions } = tx.tables
  const planned = await plan(tx, entry)
  if (planned.outcome === 'unchanged') return planned
  const columns = { ...columnsOf(entry), updatedAt: tx.now() }
  const [made] = await tx
    .insert(questions)
    .values({ ...columns, id: entry.id, createdAt: tx.now() })
    .onConflictDoNothing()
    .returning()
  if (made) {
    await writeBoxes(tx, made)
    await queueSettlement(tx, made)
    return planned
  }
  await lockQuestion(tx, entry.id)
  // Votes wait for the boxes from here on, so that the second look is final.
  await writeBoxes(tx, { id: entry.id, ...columns })
  const change = await plan(tx, entry)
  await tx.update(questions).set(columns).where(eq(questions.id, entry.id))
  await queueSettlement(tx, { id: entry.id, ...columns })
  return change
}

function readRows(reader: Reader, ids: string[]): Promise<QuestionRow[]> {
  const { questions } = reader.tables
  return reader.select().from(questions).where(inArray(questions.id, ids))
}

async function findUnknown(
  reader: Reader,
  { matchId, options }: QuestionEntry,
  isWritten: WrittenBefore,
): Promise<EntryFault[]> {
  const isMatch =
    matchId == null || isWritten('matches', matchId) || (await matchKind.read(reader, [matchId])).length > 0
  const teamId = 'team' in options ? options.team : null
  const isTeam =
    teamId === null || isWritten('teams', teamId) || (await findTeamIds(reader, [teamId])).has(teamId)
  return [
    ...(isMatch ? [] : [{ pointer: '/matchId', message: 'must be a match of the catalogue' }]),
    ...(isTeam ? [] : [{ pointer: '/options/team', message: 'must be a team of the catalogue' }]),
  ]
}

export const questionKind = declareRestrictedKind({
  kind: 'question',
  list: 'questions',
  about: 'A question that fans answer with a vote: a poll, a quiz, a rating, a prediction, or a player.',
  schema: QuestionEntry,
  givesValue: true,
  table: ({ questions }) => questions,
  requiresOf: ({ requires }) => requires,
  faults: questionFaults,
  references: (reader, entry, { isWritten }) => findUnknown(reader, entry, isWritten),
  plan,
  upsert,
  read: async (reader, ids) => (await readRows(reader, ids)).map(entryOf),
})
