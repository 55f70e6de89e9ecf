/** Leagues as staff see them: by name or code, with members and reports, and a name that staff replace. */
import { and, asc, desc, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { type Cursors, cutPage, isAfter, type Page } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import type { Reason } from '../../identity/sanctions/reasons.ts'
import { readPublicProfiles } from '../../identity/users/public-profile.ts'
import { normalizeCode } from '../../play/codes/code.ts'
import { leagueProblems } from '../../play/leagues/problems.ts'
import { nameOf } from '../../play/leagues/schema.ts'
import type { LeagueRow } from '../../play/leagues/table.ts'

/** Reports of a league that are read: the newest. */
const REPORTS = 50

/** Newest first; `text`: part of the name, or the code. @throws DomainError `invalid_cursor` */
export async function findLeagues(
  reader: Reader,
  cursors: Cursors,
  { text, limit, cursor }: Page & { text: string },
) {
  const list = `leagues ${text}`
  const before = cursors.decode(list, cursor)
  const { leagues } = reader.tables
  const rows = await reader
    .select()
    .from(leagues)
    .where(and(matches(reader, text), before === undefined ? undefined : lt(leagues.id, before)))
    .orderBy(desc(leagues.id))
    .limit(limit + 1)
  const { shown, nextCursor } = cutPage(rows, limit, ({ id }) => cursors.encode(list, id))
  return { leagues: await present(reader, shown), nextCursor }
}

function matches(reader: Reader, text: string) {
  const { code, name } = reader.tables.leagues
  if (text === '') return undefined
  const part = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return or(eq(code, normalizeCode(text) ?? ''), sql`lower(${name}) like ${part} escape '\\'`)
}

/** With their owners and open reports. */
async function present(reader: Reader, rows: LeagueRow[]) {
  const fanOf = await readFans(reader, [...new Set(rows.map(({ ownerId }) => ownerId))])
  const open = await Promise.all(rows.map(({ id }) => readReports(reader, id, true)))
  return rows.map(({ ownerId, code, scoring, season, countFrom, createdAt, ...row }, nth) => ({
    id: row.id,
    name: row.name,
    code: code.replace(/^.{4}/, '$&-'),
    // Guarantee of the casts: the constraints of the columns.
    scoring: scoring as 'points' | 'predictions',
    season,
    from: countFrom as 'join' | 'start',
    locked: row.locked,
    members: row.members,
    owner: fanOf(ownerId),
    openReports: open[nth]?.length ?? 0,
    nameHeldAt: row.nameHeldAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }))
}

/** The fans of these ids, as other fans see them. */
async function readFans(reader: Reader, ids: string[]) {
  const { users } = reader.tables
  const profiles = await readPublicProfiles(reader, ids)
  const handles = await reader
    .select({ id: users.id, handle: users.handle })
    .from(users)
    .where(inArray(users.id, ids))
  const handleOf = new Map(handles.map(({ id, handle }) => [id, handle]))
  return (id: string) => ({
    id,
    handle: handleOf.get(id) ?? null,
    displayName: profiles.get(id)?.displayName ?? null,
  })
}

function readReports(reader: Reader, leagueId: string, onlyOpen: boolean) {
  const { reports } = reader.tables
  const isOfLeague = and(eq(reports.subjectKind, 'league'), eq(reports.subjectId, leagueId))
  return reader
    .select()
    .from(reports)
    .where(and(isOfLeague, onlyOpen ? isNull(reports.resolvedAt) : undefined))
    .orderBy(desc(reports.createdAt), desc(reports.id))
    .limit(REPORTS)
}

/** @throws DomainError `league_not_found` */
export async function readLeagueForStaff(reader: Reader, leagueId: string) {
  const { leagues } = reader.tables
  const [league] = await present(reader, await reader.select().from(leagues).where(eq(leagues.id, leagueId)))
  if (!league) throw new DomainError(leagueProblems.league_not_found)
  const reports = await readReports(reader, leagueId, false)
  // The case of open reports is the oldest of them.
  const caseId = reports.findLast(({ resolvedAt }) => resolvedAt === null)?.id ?? null
  return {
    ...league,
    caseId,
    reports: reports.map(({ id, reason, note, createdAt, resolvedAt }) => ({
      id,
      // Guarantee of the cast: the schema of reports.
      reason: reason as Reason,
      note,
      isOpen: resolvedAt === null,
      createdAt: createdAt.toISOString(),
    })),
  }
}

/** By when they joined. @throws DomainError `invalid_cursor` */
export async function listLeagueMembers(
  reader: Reader,
  cursors: Cursors,
  leagueId: string,
  { limit, cursor }: Page,
) {
  const list = `members of ${leagueId}`
  const after = cursors.decodeTimed(list, cursor)
  const { leagueMembers: members } = reader.tables
  const rows = await reader
    .select({ userId: members.userId, joinedAt: members.joinedAt })
    .from(members)
    .where(and(eq(members.leagueId, leagueId), isAfter(members.joinedAt, members.userId, after)))
    .orderBy(asc(members.joinedAt), asc(members.userId))
    .limit(limit + 1)
  const { shown, nextCursor } = cutPage(rows, limit, ({ joinedAt, userId }) =>
    cursors.encodeTimed(list, { at: joinedAt, id: userId }),
  )
  const fanOf = await readFans(
    reader,
    shown.map(({ userId }) => userId),
  )
  return {
    members: shown.map(({ userId, joinedAt }) => ({
      ...fanOf(userId),
      joinedAt: joinedAt.toISOString(),
    })),
    nextCursor,
  }
}

/** `held`: the owner cannot change the name, by default. Returns the owner. @throws DomainError `league_not_found` */
export async function renameLeague(
  tx: Transaction,
  leagueId: string,
  { name, held = true }: { name: string; held?: boolean | undefined },
): Promise<string> {
  const { leagues } = tx.tables
  const [renamed] = await tx
    .update(leagues)
    .set({ name: nameOf(name), nameHeldAt: held ? tx.now() : null })
    .where(eq(leagues.id, leagueId))
    .returning({ ownerId: leagues.ownerId })
  if (!renamed) throw new DomainError(leagueProblems.league_not_found)
  return renamed.ownerId
}
