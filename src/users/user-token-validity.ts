/** What user records say about tokens: whether their user is erased, deleted or logged out. */
import { and, eq, sql } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { isListed, toList } from '../../db/listed.ts'
import { prepared } from '../../db/prepared.ts'
import { erasedSubject, isErased, isSubject, type SubjectKeys, subjectKeysOf, type Who } from './users.ts'

/** What the user records say about the tokens of a subject. */
export interface TokenValidity {
  userId: string | undefined
  erased: boolean
  /** Also of an erased user. */
  deleted: boolean
  sessionsEndedAt: Date | null
}

export async function findTokenValidity(reader: Reader, who: Who): Promise<TokenValidity> {
  return tokenValidityOf(await selectTokenValidity(reader, subjectKeysOf(who)))
}

/** A row of `allTokenValidity`. All values are null if there is no user record. */
export interface TokenValidityRow {
  userId: string | null
  sessionsEndedAt: Date | null
  deletedAt: Date | null
  erasedAt: Date | null
}

export function tokenValidityOf(rows: TokenValidityRow[]): TokenValidity {
  const erased = rows.some(isErased)
  return {
    userId: rows[0]?.userId ?? undefined,
    erased,
    deleted: erased || rows.some(({ deletedAt }) => deletedAt !== null),
    sessionsEndedAt: rows[0]?.sessionsEndedAt ?? null,
  }
}

/** Query for the token validity of all users. A subselect, because a join takes four times as long in SQLite. */
function allTokenValidity(reader: Reader) {
  const { users, identities } = reader.tables
  const deletedAt = reader
    .select({ deletedAt: identities.deletedAt })
    .from(identities)
    .where(eq(identities.userId, users.id))
  return reader
    .select({
      userId: users.id,
      provider: users.provider,
      subject: users.subject,
      sessionsEndedAt: users.sessionsEndedAt,
      deletedAt: sql<Date | null>`(${deletedAt})`.mapWith(identities.deletedAt).as('deleted_at'),
      erasedAt: users.erasedAt,
    })
    .from(users)
}

/** Query for the token validity of a subject. Two lookups: see `selectRecords`. */
export function tokenValidityOfSubject(reader: Reader, { provider, subject, erased }: SubjectKeys) {
  const named = (name: string) => allTokenValidity(reader).where(isSubject(reader, provider, name))
  return named(subject).unionAll(named(erased))
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
  const rows = await selectTokenValidities(reader, { provider, names: toList(names) })
  const bySubject = Map.groupBy(rows, row => row.subject)
  const of = (name: string) => bySubject.get(name) ?? []
  return subject => tokenValidityOf([...of(subject), ...of(erased(subject))])
}

const selectTokenValidities = prepared(
  (reader: Reader, { provider, names }: { provider: string; names: string }) => {
    const { users } = reader.tables
    return allTokenValidity(reader).where(
      and(eq(users.provider, provider), isListed(reader, users.subject, names)),
    )
  },
)
