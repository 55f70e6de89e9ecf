/** User records: looked up by the subject of a token, created by the first write. */
import { hash } from 'node:crypto'
import { and, eq, isNull, lt, or, type SQL } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { eachRow } from '../../db/keyset.ts'
import { prepared, preparedRow } from '../../db/prepared.ts'
import { tokenValidityTag } from '../cache/tags.ts'
import type { Caller } from '../core/caller.ts'
import { DomainError } from '../core/problems.ts'

export type User = Tables['users']['$inferSelect']
export type Who = Pick<Caller, 'provider' | 'subject' | 'userId'>

/** Undefined if there is no record, or if the fan is erased. */
export async function findUser(reader: Reader, who: Who): Promise<User | undefined> {
  const records = await findRecords(reader, who)
  return records.some(isErased) ? undefined : records[0]
}

/** The records of all fans who are not erased, by id. */
export const eachUser = (reader: Reader): AsyncGenerator<User> => {
  const { users } = reader.tables
  return eachRow({ id: users.id }, after =>
    reader
      .select()
      .from(users)
      .where(and(isNull(users.erasedAt), after)),
  )
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

/** Query for the record of this name, which is a subject or what replaces an erased one. */
const recordNamed = (reader: Reader, provider: string, name: string) =>
  reader
    .select()
    .from(reader.tables.users)
    .where(isSubject(reader, provider, name))

const selectNamed = prepared(recordNamed)

/** Two lookups by the whole index: for `in`, PostgreSQL reads all users of the provider if it has planned while there were few. */
const selectRecords = prepared((reader: Reader, { provider, subject, erased }: SubjectKeys) =>
  recordNamed(reader, provider, subject).unionAll(recordNamed(reader, provider, erased)),
)

export const isErased = ({ erasedAt }: Pick<User, 'erasedAt'>) => erasedAt !== null

export const isSubject = (
  { tables: { users } }: Pick<Reader, 'tables'>,
  provider: string,
  subject: string | SQL<string>,
) => and(eq(users.provider, provider), eq(users.subject, subject))

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
 * Finds or creates the user record. Concurrent first requests create one record: the unique index decides. Without an id it
 * creates first, since a caller without one rarely has a record.
 * @throws DomainError `invalid_token` (the fan was erased during the request)
 */
export async function ensureUser(tx: Transaction, who: Who): Promise<EnsuredUser> {
  const ensured = await (who.userId === undefined ? createRecord(tx, who) : ensureRecord(tx, who))
  if (!ensured) throw deletedUser(ERASED)
  return ensured
}

interface EnsuredUser {
  user: User
  created: boolean
}

/** As `ensureUser`, but looks for the record first. Null if the fan was erased. */
export async function ensureRecord(tx: Transaction, who: Who): Promise<EnsuredUser | null> {
  const records = await findRecords(tx, who)
  if (records.some(isErased)) return null
  return records[0] ? { user: records[0], created: false } : createRecord(tx, who)
}

async function createRecord(tx: Transaction, { provider, subject }: Who): Promise<EnsuredUser | null> {
  const [inserted] = await insertUser(tx, { id: tx.newId(), provider, subject, now: tx.now() })
  tx.invalidate(tokenValidityTag({ provider, subject }))
  // Read after the insert, which waits for concurrent transactions: one of them may have erased the fan.
  const keys = subjectKeysOf({ provider, subject })
  // The unique index allows no other record than the erased one.
  const others = inserted ? await selectNamed(tx, provider, keys.erased) : await selectRecords(tx, keys)
  if (others.some(isErased)) return null
  const user = inserted ?? others[0]
  if (!user) throw new Error('the user record disappeared while it was created')
  return { user, created: inserted !== undefined }
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

type OwnFields = Pick<User, (typeof OWN_FIELDS)[number]>

/** Writes the members that `change` has. Returns all members; undefined if there is no record, or if the fan is erased. */
export async function updateUser(
  tx: Transaction,
  userId: string,
  change: Partial<OwnFields>,
): Promise<OwnFields | undefined> {
  const [updated] = await updateActive(tx, { ...change, id: userId, updatedAt: tx.now() })
  return updated
}

const updateActive = prepared((tx: Transaction, { id, ...change }: Partial<User> & { id: string }) => {
  const { users } = tx.tables
  const { displayName, handle, avatarUrl, bio, country, locale, favoriteTeamId } = users
  return tx
    .update(users)
    .set(change)
    .where(and(eq(users.id, id), isNull(users.erasedAt)))
    .returning({ displayName, handle, avatarUrl, bio, country, locale, favoriteTeamId })
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

/** Query for the record of a fan, also if the fan is erased. */
export function userOf(reader: Reader, id: string) {
  const { users } = reader.tables
  return reader.select().from(users).where(eq(users.id, id))
}

export const findUserById = preparedRow(userOf)
