/** User records: looked up by the subject of a token, created by the first write. */
import { hash } from 'node:crypto'
import { and, type Column, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { tokenValidityTag } from '../cache/tags.ts'
import type { Caller } from '../core/caller.ts'
import { DomainError } from '../core/problems.ts'

export type User = Tables['users']['$inferSelect']
type Who = Pick<Caller, 'provider' | 'subject' | 'userId'>

/** Undefined if there is no record, or if the fan is erased. */
export async function findUser(reader: Reader, who: Who): Promise<User | undefined> {
  const records = await findRecords(reader, who)
  return records.some(isErased) ? undefined : records[0]
}

/** Finds also the record of an erased fan, by the hash of the subject. Uses the id if it is known. */
export async function findRecords(reader: Reader, who: Who): Promise<User[]> {
  const known = who.userId === undefined ? undefined : await findUserById(reader, who.userId)
  return known ? [known] : selectRecords(reader, subjectKeysOf(who))
}

export interface SubjectKeys {
  provider: string
  subject: string
  erased: string
}

const selectRecords = prepared((reader: Reader, values: SubjectKeys) => {
  const { users } = reader.tables
  return reader.select().from(users).where(matchesSubject(users, values))
})

const isErased = ({ erasedAt }: Pick<User, 'erasedAt'>) => erasedAt !== null

/** Matches the record of a subject, also after an erasure. */
export const matchesSubject = (
  columns: Record<'provider' | 'subject', Column>,
  { provider, subject, erased }: SubjectKeys,
) => and(eq(columns.provider, provider), inArray(columns.subject, [subject, erased]))

/** The values by which a fan's record is found. */
export const subjectKeysOf = ({ provider, subject }: Who): SubjectKeys => {
  return { provider, subject, erased: erasedSubject({ provider, subject }) }
}

/**
 * Replaces the subject of an erased fan: the SHA-256, in lower-case hex, of the JSON array `["erased", provider, subject]`.
 * It does not disclose the subject, but a request with the subject finds the record.
 */
export function erasedSubject({ provider, subject }: Who): string {
  return `erased:${hash('sha256', JSON.stringify(['erased', provider, subject]), 'hex')}`
}

/**
 * Finds or creates the user record. Concurrent first requests create one record: the unique index decides.
 * @throws DomainError `invalid_token` (the fan was erased during the request)
 */
export async function ensureUser(tx: Transaction, who: Who): Promise<{ user: User; created: boolean }> {
  const records = await findRecords(tx, who)
  if (records.some(isErased)) throw deletedUser(ERASED)
  if (records[0]) return { user: records[0], created: false }
  const { provider, subject } = who
  const now = tx.now()
  const [inserted] = await insertUser(tx, { id: tx.newId(), provider, subject, now })
  tx.invalidate(tokenValidityTag(who))
  // Read again: the insert waits for concurrent transactions, one of which may have erased the fan.
  const after = await findRecords(tx, { provider, subject })
  if (after.some(isErased)) throw deletedUser(ERASED)
  if (!after[0]) throw new Error('the user record disappeared while it was created')
  return { user: after[0], created: inserted !== undefined }
}

const insertUser = prepared(
  (tx: Transaction, { now, ...user }: { id: string; provider: string; subject: string; now: Date }) =>
    tx
      .insert(tx.tables.users)
      .values({ ...user, createdAt: now, updatedAt: now })
      .onConflictDoNothing()
      .returning(),
)

/** The columns of a user record that a fan writes: the members of the profile. */
export const OWN_FIELDS = [
  'displayName',
  'handle',
  'avatarUrl',
  'bio',
  'country',
  'locale',
  'favoriteTeamId',
] as const

/** Writes the members that `change` has. Returns false if there is no record, or if the fan is erased. */
export async function updateUser(
  tx: Transaction,
  userId: string,
  change: Partial<Pick<User, (typeof OWN_FIELDS)[number]>>,
): Promise<boolean> {
  const [updated] = await updateActive(tx, { ...change, id: userId, updatedAt: tx.now() })
  return updated !== undefined
}

const updateActive = prepared((tx: Transaction, { id, ...change }: Partial<User> & { id: string }) => {
  const { users } = tx.tables
  return tx
    .update(users)
    .set(change)
    .where(and(eq(users.id, id), isNull(users.erasedAt)))
    .returning({ id: users.id })
})

/** As `ensureUser`, but returns only the id, and reads two columns if the id is known. */
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
export function allTokenValidity(reader: Reader) {
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

const selectTokenValidity = prepared((reader: Reader, values: SubjectKeys) =>
  allTokenValidity(reader).where(matchesSubject(reader.tables.users, values)),
)

/**
 * Logs a user out everywhere: session tokens issued up to `until`, and native sessions created from them, are refused.
 * An earlier `until` than before changes nothing.
 */
export async function endSessions(tx: Transaction, who: Who, until: Date): Promise<void> {
  const { users } = tx.tables
  const userId = await ensureUserId(tx, who)
  tx.invalidate(tokenValidityTag(who))
  await tx
    .update(users)
    .set({ sessionsEndedAt: until })
    .where(and(eq(users.id, userId), or(isNull(users.sessionsEndedAt), lt(users.sessionsEndedAt, until))))
}

/** Query for the record of a fan who is not erased. */
export function activeUser(reader: Reader, userId: string) {
  const { users } = reader.tables
  return reader
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.erasedAt)))
}

export async function findUserById(reader: Reader, id: string): Promise<User | undefined> {
  const [user] = await selectById(reader, id)
  return user
}

/** Query for the record of a fan, also if the fan is erased. */
export function userOf(reader: Reader, id: string) {
  const { users } = reader.tables
  return reader.select().from(users).where(eq(users.id, id))
}

const selectById = prepared(userOf)
