/** What user records say about tokens: whether their user is erased, deleted or logged out. */
import { type Column, eq, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { rowsOfListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { NOBODY, type Subject } from '../../core/caller.ts'
import { erasedSubject, isErased, isSubject, requireUser, type SubjectKeys, subjectKeysOf } from './users.ts'

/** What the user records say about the tokens of a subject, and the locale of the profile, which most requests need as well. */
export interface TokenValidity {
  /** `NOBODY` without a user record. */
  userId: string
  erased: boolean
  /** Also true for an erased user. */
  deleted: boolean
  sessionsEndedAt: Date | null
  locale: string | null
  /** Whether the fan has blocked another one, or was blocked, ever. */
  hasBlocks: boolean
  /** Whether the fan of the subject was merged into the one of `userId`. */
  isMerged: boolean
}

export async function findTokenValidity(reader: Reader, subject: Subject): Promise<TokenValidity> {
  return readTokenValidity(reader, await selectTokenValidity(reader, subjectKeysOf(subject)))
}

/** The token validity from these rows; for a merged fan, also from the record of the other fan. */
export async function readTokenValidity(reader: Reader, rows: StoredTokenValidity[]): Promise<TokenValidity> {
  const validity = tokenValidityOf(rows)
  if (!validity.isMerged) return validity
  const { locale, hasBlocks } = await requireUser(reader, validity.userId)
  return { ...validity, locale, hasBlocks: hasBlocks ?? false }
}

/** A row of these queries. All values are null if there is no user record. */
export interface StoredTokenValidity {
  userId: string | null
  sessionsEndedAt: Date | null
  deletedAt: Date | null
  erasedAt: Date | null
  mergedIntoId: string | null
  locale?: string | null
  hasBlocks?: boolean | null
}

function tokenValidityOf(rows: StoredTokenValidity[]): TokenValidity {
  const erased = rows.some(isErased)
  const mergedIntoId = rows[0]?.mergedIntoId ?? undefined
  return {
    userId: mergedIntoId ?? rows[0]?.userId ?? NOBODY,
    isMerged: mergedIntoId !== undefined,
    erased,
    deleted: erased || rows.some(({ deletedAt }) => deletedAt !== null),
    sessionsEndedAt: rows[0]?.sessionsEndedAt ?? null,
    locale: rows[0]?.locale ?? null,
    hasBlocks: rows[0]?.hasBlocks ?? false,
  }
}

/** When the provider deleted a user. A subselect, because a join takes four times as long in SQLite. */
function deletedAtOf(reader: Reader, userId: Column) {
  const { identities } = reader.tables
  const deletedAt = reader
    .select({ deletedAt: identities.deletedAt })
    .from(identities)
    .where(eq(identities.userId, userId))
  return sql<Date | null>`(${deletedAt})`.mapWith(identities.deletedAt).as('deleted_at')
}

/** Query for the token validity of a subject. Two lookups: see `selectRecords`. */
function tokenValidityOfSubject(reader: Reader, { provider, subject, erased }: SubjectKeys) {
  const { users } = reader.tables
  const { id: userId, sessionsEndedAt, erasedAt, mergedIntoId, locale, hasBlocks } = users
  const named = (name: string) =>
    reader
      .select({
        userId,
        sessionsEndedAt,
        deletedAt: deletedAtOf(reader, userId),
        erasedAt,
        mergedIntoId,
        locale,
        hasBlocks,
      })
      .from(users)
      .where(isSubject(reader, provider, name))
  return named(subject).unionAll(named(erased))
}

/** Its columns, within another query. */
export function joinedTokenValidity(reader: Reader, values: SubjectKeys) {
  const user = tokenValidityOfSubject(reader, values).as('user')
  const { userId, sessionsEndedAt, deletedAt, erasedAt, mergedIntoId, locale, hasBlocks } = user
  return { user, columns: { userId, sessionsEndedAt, deletedAt, erasedAt, mergedIntoId, locale, hasBlocks } }
}

const selectTokenValidity = prepared(tokenValidityOfSubject)

/** What the user records say about the tokens of several subjects of a provider, by subject: one statement for any number. */
export async function findTokenValidities(
  reader: Reader,
  provider: string,
  subjects: string[],
): Promise<(subject: string) => TokenValidity> {
  const erased = (subject: string) => erasedSubject({ provider, subject })
  const names = subjects.flatMap(subject => [subject, erased(subject)])
  const rows = await selectTokenValidities(reader, provider, toList(names))
  const bySubject = Map.groupBy(rows, row => row.subject)
  const of = (name: string) => bySubject.get(name) ?? []
  return subject => tokenValidityOf([...of(subject), ...of(erased(subject))])
}

const selectTokenValidities = prepared((reader: Reader, provider: string, names: string) => {
  const { users } = reader.tables
  const found = rowsOfListed(reader, users, names, name => isSubject(reader, provider, name))
  const { id: userId, subject, sessionsEndedAt, erasedAt, mergedIntoId } = found
  return reader
    .with(found)
    .select({
      userId,
      subject,
      sessionsEndedAt,
      deletedAt: deletedAtOf(reader, userId),
      erasedAt,
      mergedIntoId,
    })
    .from(found)
})
