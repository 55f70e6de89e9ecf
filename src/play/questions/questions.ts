/**
 * Questions. A question is scheduled, open, closed, and settled once it has an answer. Its state follows from its times and the
 * clock. Fans see both times later by `offsetMs`, and votes are judged without it.
 */
import { and, eq, sum } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { presentText, presentTexts } from '../../club/catalogue/texts.ts'
import { playerKind } from '../../club/players/player-kind.ts'
import { listPlayersOf } from '../../club/players/players.ts'
import { sponsorKind } from '../../club/sponsors/sponsor-kind.ts'
import { listActiveSponsor } from '../../club/sponsors/sponsorship.ts'
import { DomainError } from '../../core/problems.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { requiresOf } from '../eligibility/requires.ts'
import { type Options, ratingsOf } from './entry-schema.ts'
import { questionProblems } from './problems.ts'

export type QuestionRow = Tables['questions']['$inferSelect']
export type VoteRow = Tables['questionVotes']['$inferSelect']

export const questionsTag = 'questions'
/** The votes of a question. */
export const votesTag = (questionId: string) => `votes ${questionId}`

export const findQuestion = preparedRow((reader: Reader, id: string) => {
  const { questions } = reader.tables
  return reader.select().from(questions).where(eq(questions.id, id))
})

/** Changes of times and answers of a question come one after the other. */
export const lockQuestion = preparedRow((tx: Transaction, id: string) => {
  const { questions } = tx.tables
  return locksForUpdate(tx, tx.select().from(questions).where(eq(questions.id, id)))
})

/** Guarantee of the cast: only valid entries are written. */
export const optionsOf = ({ options }: Pick<QuestionRow, 'options'>) => JSON.parse(options) as Options

export type QuestionState = 'scheduled' | 'open' | 'closed' | 'settled'

/** What fans see at this time. */
export function stateOf(
  { shownOpensAt, shownClosesAt, correct }: Pick<QuestionRow, 'shownOpensAt' | 'shownClosesAt' | 'correct'>,
  now: Date,
): QuestionState {
  if (now >= shownClosesAt) return correct === null ? 'closed' : 'settled'
  return now < shownOpensAt ? 'scheduled' : 'open'
}

/** The columns of the times of a question. */
export function timesOf({
  opensAt,
  closesAt,
  offsetMs,
}: Pick<QuestionRow, 'opensAt' | 'closesAt' | 'offsetMs'>) {
  const later = (at: Date) => new Date(at.getTime() + (offsetMs ?? 0))
  return { opensAt, closesAt, offsetMs, shownOpensAt: later(opensAt), shownClosesAt: later(closesAt) }
}

/** Votes by option. */
export type Tally = ReadonlyMap<string, number>

export async function readTally(reader: Reader, questionId: string): Promise<Tally> {
  const rows = await selectTally(reader, questionId)
  return new Map(rows.map(row => [row.optionId, Number(row.votes)]))
}

const selectTally = prepared((reader: Reader, questionId: string) => {
  const { questionTallies: tallies } = reader.tables
  return reader
    .select({ optionId: tallies.optionId, votes: sum(tallies.votes) })
    .from(tallies)
    .where(eq(tallies.questionId, questionId))
    .groupBy(tallies.optionId)
})

/** From the response cache, and read again when fans see the close. */
async function getTally(
  { read, cache }: ReadSource,
  { id, shownClosesAt }: Pick<QuestionRow, 'id' | 'shownClosesAt'>,
): Promise<Tally> {
  const rows = await cache.get(votesTag(id), async () => ({
    expiresAt: shownClosesAt > read.now() ? shownClosesAt : null,
    value: [...(await readTally(read, id))],
    tags: [votesTag(id)],
  }))
  return new Map(rows)
}

interface ShownOption {
  id: string
  text: string
  imageUrl: string | null
}

interface Related {
  players: { id: string; teamId: string | null; name: string; imageUrl: string | null }[]
  sponsors: { id: string; name: string; imageUrl: string | null; url: string | null }[]
}

async function getRelated(source: ReadSource): Promise<Related> {
  const [{ players }, { sponsors }] = await Promise.all([
    playerKind.getActive(source),
    sponsorKind.getActive(source),
  ])
  return { players, sponsors }
}

function shownOptions(options: Options, { players }: Pick<Related, 'players'>): ShownOption[] {
  if (Array.isArray(options))
    return options.map(({ id, text, imageUrl = null }) => ({ id, text: presentText(text), imageUrl }))
  if ('scale' in options) return []
  return players
    .filter(({ teamId }) => teamId === options.team)
    .map(({ id, name, imageUrl }) => ({ id, text: name, imageUrl }))
}

/** What the answer can be, with its text in the default language. */
export async function listChoices(reader: Reader, options: Options): Promise<{ id: string; text: string }[]> {
  if ('scale' in options) return ratingsOf(options).map(id => ({ id, text: id }))
  const players = 'team' in options ? await listPlayersOf(reader, options.team) : []
  return shownOptions(options, { players }).map(({ id, text }) => ({ id, text }))
}

/** All options, and what has votes although the question no longer has it. */
function resultsOf(options: Options, shown: ShownOption[], tally: Tally) {
  const ids = 'scale' in options ? ratingsOf(options) : shown.map(({ id }) => id)
  const others = [...tally].filter(([id, votes]) => votes > 0 && !ids.includes(id)).map(([id]) => id)
  return [...ids, ...others.toSorted()].map(optionId => ({ optionId, votes: tally.get(optionId) ?? 0 }))
}

/** Whether results are shown: to everyone, or to a fan who has voted. */
function showsResults(
  { results }: Pick<QuestionRow, 'results'>,
  state: QuestionState,
  hasVoted: boolean,
): boolean {
  if (state === 'closed' || state === 'settled') return true
  return results === 'live' || (results === 'after_vote' && hasVoted)
}

interface Facts {
  row: QuestionRow
  related: Related
  /** Null: nobody may see it. */
  tally: Tally
  /** The vote of the caller. */
  optionId: string | null
}

function presentQuestion({ row, related, tally, optionId }: Facts, now: Date) {
  const { id, matchId, kind, imageUrl, changeable, points, sponsorId } = row
  const options = optionsOf(row)
  const shown = shownOptions(options, related)
  const state = stateOf(row, now)
  return {
    id,
    matchId,
    // Guarantee of the cast: a constraint of the table.
    kind: kind as 'poll' | 'quiz' | 'prediction' | 'rating' | 'player',
    title: presentTexts(row).title,
    imageUrl,
    options: shown,
    scale: 'scale' in options ? options.scale : null,
    opensAt: row.shownOpensAt.toISOString(),
    closesAt: row.shownClosesAt.toISOString(),
    state,
    changeable,
    points,
    sponsor: related.sponsors.find(sponsor => sponsor.id === sponsorId) ?? null,
    requires: requiresOf(row),
    myVote: optionId === null ? null : 'scale' in options ? Number(optionId) : optionId,
    results: showsResults(row, state, optionId !== null) ? resultsOf(options, shown, tally) : null,
    correct: state === 'settled' ? row.correct : null,
  }
}
export type ShownQuestion = ReturnType<typeof presentQuestion>

/** Of these rows, with the votes of the fan. */
export async function presentQuestions(
  source: ReadSource,
  rows: QuestionRow[],
  userId: string,
): Promise<ShownQuestion[]> {
  if (rows.length === 0) return []
  const now = source.read.now()
  const related = await getRelated(source)
  const votes = userId === '' ? [] : await selectOwn(source.read, userId, toList(rows.map(({ id }) => id)))
  const own = new Map(votes.map(vote => [vote.questionId, vote.optionId]))
  return Promise.all(
    rows.map(async row => {
      const optionId = own.get(row.id) ?? null
      const tally = showsResults(row, stateOf(row, now), optionId !== null)
        ? await getTally(source, row)
        : new Map()
      return presentQuestion({ row, related, tally, optionId }, now)
    }),
  )
}

/** What everyone may know of a question now, without its vote. @throws DomainError `question_not_found` */
export async function getQuestionState(source: ReadSource, questionId: string) {
  const { read, cache } = source
  const row = await cache.get(`question ${questionId}`, async () => ({
    value: (await findQuestion(read, questionId)) ?? null,
    tags: [questionsTag],
  }))
  if (!row?.active) throw new DomainError(questionProblems.question_not_found)
  const related = await getRelated(source)
  const now = read.now()
  const tally = showsResults(row, stateOf(row, now), false) ? await getTally(source, row) : new Map()
  const { state, results, correct } = presentQuestion({ row, related, tally, optionId: null }, now)
  return { state, results, correct }
}

const selectOwn = prepared((reader: Reader, userId: string, questionIds: string) => {
  const { questionVotes: votes } = reader.tables
  return reader
    .select({ questionId: votes.questionId, optionId: votes.optionId })
    .from(votes)
    .where(and(eq(votes.userId, userId), isListed(reader, votes.questionId, questionIds)))
})

/**
 * The question as a fan sees it who has this vote, in the unit of work. `changes`: what the vote will change in the tally.
 */
export async function readQuestion(
  reader: Reader,
  row: QuestionRow,
  optionId: string | null,
  changes: ReadonlyMap<string, number> = new Map(),
): Promise<ShownQuestion> {
  const now = reader.now()
  const options = optionsOf(row)
  const related = {
    players: 'team' in options ? await listPlayersOf(reader, options.team) : [],
    sponsors: row.sponsorId === null ? [] : await listActiveSponsor(reader, row.sponsorId),
  }
  const tally = new Map(
    showsResults(row, stateOf(row, now), optionId !== null) ? await readTally(reader, row.id) : [],
  )
  for (const [id, by] of changes) tally.set(id, (tally.get(id) ?? 0) + by)
  return presentQuestion({ row, related, tally, optionId }, now)
}

/** Whether an active player of the team has this id. */
export const isPlayerOf = async (reader: Reader, teamId: string, id: string): Promise<boolean> =>
  (await listPlayersOf(reader, teamId)).some(player => player.id === id)
