/** The user record of whoever a token speaks for: found, or made at the first write of any kind. */
import { hash } from 'node:crypto'
import { and, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { tokenValidityTag } from '../cache/tags.ts'
import type { Caller } from '../core/caller.ts'
import { DomainError } from '../core/problems.ts'

export type User = Tables['users']['$inferSelect']
type Who = Pick<Caller, 'provider' | 'subject' | 'userId'>

/** Undefined for whoever has no record, and for an erased fan: theirs takes part in nothing any more. */
export async function findUser(reader: Reader, who: Who): Promise<User | undefined> {
  const records = await findRecords(reader, who)
  return records.some(isErased) ? undefined : records[0]
}

/** Also of an erased fan, by the hash that is left of their subject. By id where it is known: one look-up, not two. */
export async function findRecords(reader: Reader, who: Who): Promise<User[]> {
  const known = who.userId === undefined ? undefined : await findUserById(reader, who.userId)
  return known ? [known] : selectRecords(reader, namesOf(who))
}

export interface Names {
  provider: string
  subject: string
  erased: string
}

const selectRecords = prepared((reader: Reader, values: Names) => {
  const { users } = reader.tables
  return reader.select().from(users).where(isNamed(reader, values))
})

const isErased = ({ erasedAt }: Pick<User, 'erasedAt'>) => erasedAt !== null

/** For a statement that reads `users`: the record of a user, and the one that is left once they are erased. */
export const isNamed = ({ tables: { users } }: Reader, { provider, subject, erased }: Names) =>
  and(eq(users.provider, provider), inArray(users.subject, [subject, erased]))

/** What a fan is found by. */
export const namesOf = ({ provider, subject }: Who): Names => {
  return { provider, subject, erased: erasedSubject({ provider, subject }) }
}

/**
 * What stands in the place of an erased fan's subject: SHA-256, in lower-case hex, over the JSON array
 * `["erased", provider, subject]`. It tells nobody the subject, and whoever comes with the subject is known by it.
 */
export function erasedSubject({ provider, subject }: Who): string {
  return `erased:${hash('sha256', JSON.stringify(['erased', provider, subject]), 'hex')}`
}

/**
 * Twenty first requests at once make one record: the unique index decides, the others read what won.
 * @throws DomainError `invalid_token` (an erased fan, whose request was under way)
 */
export async function ensureUser(tx: Transaction, who: Who): Promise<{ user: User; created: boolean }> {
  const records = await findRecords(tx, who)
  if (records.some(isErased)) throw deletedUser(ERASED)
  if (records[0]) return { user: records[0], created: false }
  const { provider, subject } = who
  const now = tx.now()
  const [made] = await insertUser(tx, { id: tx.newId(), provider, subject, now })
  tx.invalidate(tokenValidityTag(who))
  // Read again: the insert waits for others, and an erasure may have left a tombstone meanwhile.
  const after = await findRecords(tx, { provider, subject })
  if (after.some(isErased)) throw deletedUser(ERASED)
  if (!after[0]) throw new Error('user record vanished while it was made')
  return { user: after[0], created: made !== undefined }
}

const insertUser = prepared(
  (tx: Transaction, { now, ...user }: { id: string; provider: string; subject: string; now: Date }) =>
    tx
      .insert(tx.tables.users)
      .values({ ...user, createdAt: now, updatedAt: now })
      .onConflictDoNothing()
      .returning(),
)

/** The same, for what needs no more than the id: where it is known, one column is read, not a whole record. */
export async function ensureUserId(tx: Transaction, who: Who): Promise<string> {
  const [known] = who.userId === undefined ? [] : await selectErasure(tx, who.userId)
  return known && !isErased(known) ? known.id : (await ensureUser(tx, who)).user.id
}

const selectErasure = prepared((reader: Reader, id: string) => {
  const { users } = reader.tables
  return reader.select({ id: users.id, erasedAt: users.erasedAt }).from(users).where(eq(users.id, id))
})

export const ERASED = 'This user was erased.'

/** Refuses the token of a user who was erased here or deleted by the provider. */
export const deletedUser = (detail: string, userId?: string) =>
  new DomainError('invalid_token', { detail, security: { event: 'deleted_user_token_used', userId } })

/** What the records of a user say of their tokens. */
export interface TokenValidity {
  userId: string | undefined
  erased: boolean
  /** Also of an erased user. */
  deleted: boolean
  sessionsEndedAt: Date | null
}

export async function findTokenValidity(reader: Reader, who: Who): Promise<TokenValidity> {
  return tokenValidityOf(await selectTokenValidity(reader, namesOf(who)))
}

/** As a statement reads it: null where a user has no record. */
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

/** For a statement that reads `users`. A subselect: SQLite takes four times as long for the join. */
export function tokenValidityColumns(reader: Reader) {
  const { users, identities } = reader.tables
  const deletedAt = reader
    .select({ deletedAt: identities.deletedAt })
    .from(identities)
    .where(eq(identities.userId, users.id))
  return {
    userId: users.id,
    sessionsEndedAt: users.sessionsEndedAt,
    deletedAt: sql<Date | null>`(${deletedAt})`.mapWith(identities.deletedAt),
    erasedAt: users.erasedAt,
  }
}

const selectTokenValidity = prepared((reader: Reader, values: Names) =>
  reader.select(tokenValidityColumns(reader)).from(reader.tables.users).where(isNamed(reader, values)),
)

/** Logged out everywhere: session tokens issued up to `until`, and what came of them, are refused. Never set back. */
export async function endSessions(tx: Transaction, who: Who, until: Date): Promise<void> {
  const { users } = tx.tables
  const userId = await ensureUserId(tx, who)
  tx.invalidate(tokenValidityTag(who))
  await tx
    .update(users)
    .set({ sessionsEndedAt: until })
    .where(and(eq(users.id, userId), or(isNull(users.sessionsEndedAt), lt(users.sessionsEndedAt, until))))
}

export async function findUserById(reader: Reader, id: string): Promise<User | undefined> {
  const [user] = await selectById(reader, id)
  return user
}

const selectById = prepared((reader: Reader, id: string) => {
  const { users } = reader.tables
  return reader.select().from(users).where(eq(users.id, id))
})
