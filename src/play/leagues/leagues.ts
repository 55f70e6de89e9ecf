/**
 * Leagues. A league has members, and one of them owns it. It is created by its first member and deleted with its last one; when the
 * owner leaves, the member who joined first owns it. The lock of its row comes before the rows of its members.
 */
import { and, eq, lt, sql } from 'drizzle-orm'
import type { Tables, Transaction } from '../../../db/index.ts'
import { countRows } from '../../../db/pages.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { MAX_MEMBERS } from '../../../db/schema/play/leagues.ts'
import { hasMatches } from '../../club/matches/matches.ts'
import { readSeasons } from '../../club/seasons/season-kind.ts'
import type { Caller } from '../../core/caller.ts'
import type { Cursors } from '../../core/pagination.ts'
import { DomainError, type FieldError } from '../../core/problems.ts'
import { refuseField } from '../../core/transport-problems.ts'
import { boardAt, predictionBoard } from '../../economy/leaderboard/boards.ts'
import { openBaseline } from '../../economy/points/baselines.ts'
import { requirePublicText, requireUnreservedName } from '../../identity/public-text/require-public-text.ts'
import { fanNotFound } from '../../identity/relations/find-fan.ts'
import { lockHandle, lockToCount } from '../../identity/users/locks.ts'
import { mintCode, normalizeCode } from '../codes/code.ts'
import { codeProblems } from '../codes/problems.ts'
import { finalPointsOf, firstStepOf } from './counting.ts'
import { leagueProblems, MAX_JOINED, MAX_OWNED } from './problems.ts'
import { isBanned, isMember, lockOfOwner } from './rows.ts'
import { type JoinLeague, type League, type LeagueChange, type NewLeague, nameOf } from './schema.ts'
import { type LeagueRow, readLeague } from './table.ts'

/** 40 bits: unknown codes are limited. */
const LETTERS = 8
const CODE_BYTES = 5
const FIRST_PAGE = { limit: 50 }

export function findLeagueErrors(body: unknown): FieldError[] {
  // Guarantee of the cast: every member is unknown.
  const { scoring, competition } = (body ?? {}) as Partial<Record<string, unknown>>
  return competition !== undefined && scoring === 'points'
    ? [{ pointer: '/competition', message: 'needs scoring predictions' }]
    : []
}

/** What follows from the season: of predictions its board, of points its times. */
async function seasonOf(tx: Transaction, { scoring, season: given, competition }: NewLeague) {
  const season = given ?? null
  const none = { season: null, seasonId: null, startsAt: null, endsAt: null }
  if (scoring === 'predictions') {
    await requireMatches(tx, season, competition ?? null)
    return { ...none, season, board: predictionBoard(season).id }
  }
  const board = boardAt('all', tx.now()).id
  if (season === null) return { ...none, board }
  const found = (await readSeasons(tx)).find(({ id }) => id === season)
  if (!found) refuseField({ pointer: '/season', message: 'is no active season of the catalogue' })
  const { id: seasonId, startsAt, endsAt } = found
  if (endsAt <= tx.now()) refuseField({ pointer: '/season', message: 'has ended' })
  return { season: null, seasonId, startsAt, endsAt, board }
}

/** A league of no match would never count anything. */
async function requireMatches(tx: Transaction, season: string | null, competition: string | null) {
  if (competition !== null && !(await hasMatches(tx, { competition, season: null })))
    refuseField({ pointer: '/competition', message: 'is the competition of no match' })
  if (season !== null && !(await hasMatches(tx, { competition, season })))
    refuseField({ pointer: '/season', message: 'is the season of no match' })
}

/** 128 bits. */
const SEED_BYTES = 16

export async function createLeague(
  tx: Transaction,
  cursors: Cursors,
  { userId }: Caller,
  body: NewLeague,
): Promise<League> {
  const name = await requireName(tx, userId, body.name)
  await requireRoomFor(tx, userId)
  await requireFewOwned(tx, userId)
  const { leagues } = tx.tables
  const season = await seasonOf(tx, body)
  const createdAt = tx.now()
  const dueAt = await firstStepOf(tx, { ...season, format: body.format, createdAt })
  const league = {
    ...season,
    id: tx.newId(),
    name,
    code: await newCode(tx),
    ownerId: userId,
    scoring: body.scoring,
    competition: body.competition ?? null,
    format: body.format,
    countFrom: body.from,
    locked: false,
    members: 1,
    joined: 1,
    seed: body.format === 'table' ? null : Buffer.from(tx.randomBytes(SEED_BYTES)).toString('hex'),
    dueAt,
    createdAt,
  }
  const member = await newMember(tx, userId, league, league.joined)
  await tx.insert(leagues).values(league)
  await insertMember(tx, member)
  // never invalid_cursor, league_not_found: the first page of a league of the fan.
  return readLeague(tx, cursors, { userId }, league.id, FIRST_PAGE)
}

/** The rules of names of fans. */
async function requireName(tx: Transaction, userId: string, text: string): Promise<string> {
  const name = nameOf(text)
  await requirePublicText(tx, userId, [{ pointer: '/name', text: name }])
  await requireUnreservedName(tx, '/name', name)
  return name
}

/** A code that no other league has. */
async function newCode(tx: Transaction): Promise<string> {
  const { leagues } = tx.tables
  for (;;) {
    const code = normalizeCode(mintCode(tx.randomBytes(CODE_BYTES), LETTERS)) ?? ''
    if ((await countRows(tx, leagues, eq(leagues.code, code))) === 0) return code
  }
}

/** @throws DomainError in the order of the checks */
export async function joinLeague(
  tx: Transaction,
  cursors: Cursors,
  { userId }: Caller,
  { code }: JoinLeague,
): Promise<League> {
  const league = await lockByCode(tx, normalizeCode(code) ?? '')
  if (!league) throw new DomainError(codeProblems.code_not_found)
  // The row is locked: until the end, nobody joins, leaves or is banned.
  if (await isMember(tx, league.id, userId)) throw new DomainError(leagueProblems.already_member)
  if (await isBanned(tx, league.id, userId)) throw new DomainError(leagueProblems.banned)
  if (league.locked) throw new DomainError(leagueProblems.league_locked)
  await requireRoomFor(tx, userId)
  const [counted] = await countIn(tx, league.id)
  if (!counted) throw new DomainError(leagueProblems.league_full)
  const member = await newMember(tx, userId, league, counted.joined)
  const final = league.finalAt ? await finalPointsOf(tx, league, [member]) : undefined
  await insertMember(tx, { ...member, finalPoints: final && (final.get(userId) ?? 0) })
  // never invalid_cursor, league_not_found: the first page of a league of the fan.
  return readLeague(tx, cursors, { userId }, league.id, FIRST_PAGE)
}

/** Concurrent requests of a fan wait for each other here, so that both counts are exact. */
async function requireRoomFor(tx: Transaction, userId: string): Promise<void> {
  await lockToCount(tx, userId)
  const { leagueMembers: members } = tx.tables
  if ((await countRows(tx, members, eq(members.userId, userId))) >= MAX_JOINED)
    throw new DomainError(leagueProblems.too_many_leagues)
}

/** The fan is locked as in `requireRoomFor`. */
async function requireFewOwned(tx: Transaction, userId: string): Promise<void> {
  const { leagues } = tx.tables
  if ((await countRows(tx, leagues, eq(leagues.ownerId, userId))) >= MAX_OWNED)
    throw new DomainError(leagueProblems.too_many_leagues)
}

type Counting = Pick<
  LeagueRow,
  'id' | 'board' | 'season' | 'competition' | 'startsAt' | 'countFrom' | 'createdAt'
>

async function newMember(tx: Transaction, userId: string, league: Counting, number: number) {
  const countsFrom = countsFromOf(league, tx.now())
  const baseline = countsFrom ? await openBaseline(tx, userId, league.board, countsFrom) : 0
  return { leagueId: league.id, userId, joinedAt: tx.now(), countsFrom, baseline, number }
}

/** From when the entries of a member count; null: all of the season. */
export function countsFromOf(
  {
    countFrom,
    season,
    startsAt,
    createdAt,
  }: Pick<LeagueRow, 'countFrom' | 'season' | 'startsAt' | 'createdAt'>,
  joinedAt: Date,
): Date | null {
  if (countFrom === 'join') return startsAt && startsAt > joinedAt ? startsAt : joinedAt
  return startsAt ?? (season === null ? createdAt : null)
}

const insertMember = prepared((tx: Transaction, member: Tables['leagueMembers']['$inferInsert']) =>
  tx.insert(tx.tables.leagueMembers).values(member),
)

const lockByCode = preparedRow((tx: Transaction, code: string) => {
  const { leagues } = tx.tables
  return locksForUpdate(tx, tx.select().from(leagues).where(eq(leagues.code, code)))
})

/** Returns no row if the league is full. */
const countIn = prepared((tx: Transaction, leagueId: string) => {
  const { leagues } = tx.tables
  return tx
    .update(leagues)
    .set({ members: sql`${leagues.members} + 1`, joined: sql`${leagues.joined} + 1` })
    .where(and(eq(leagues.id, leagueId), lt(leagues.members, MAX_MEMBERS)))
    .returning({ joined: leagues.joined })
})

export async function changeLeague(
  tx: Transaction,
  cursors: Cursors,
  { userId }: Caller,
  leagueId: string,
  { name: text, locked, newCode: isCodeReplaced, owner }: LeagueChange,
): Promise<League> {
  // Fans are locked before leagues, as in an erasure.
  const heir = owner === undefined ? undefined : await lockHandle(tx, owner)
  const league = await lockOfOwner(tx, userId, leagueId)
  const { leagues } = tx.tables
  const isLeague = eq(leagues.id, leagueId)
  if (text !== undefined) {
    if (league.nameHeldAt) throw new DomainError(leagueProblems.name_held)
    const name = await requireName(tx, userId, text)
    await tx.update(leagues).set({ name }).where(isLeague)
  }
  if (locked !== undefined) await tx.update(leagues).set({ locked }).where(isLeague)
  if (isCodeReplaced)
    await tx
      .update(leagues)
      .set({ code: await newCode(tx) })
      .where(isLeague)
  if (owner !== undefined && heir?.id !== userId) {
    if (!heir || !(await isMember(tx, leagueId, heir.id))) throw fanNotFound()
    await lockToCount(tx, heir.id)
    await requireFewOwned(tx, heir.id)
    await tx.update(leagues).set({ ownerId: heir.id }).where(isLeague)
  }
  // never invalid_cursor: the first page.
  return readLeague(tx, cursors, { userId }, leagueId, FIRST_PAGE)
}
