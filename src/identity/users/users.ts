/** User records: looked up by the subject of a token. */
import { hash } from 'node:crypto'
import { and, eq, exists, isNull, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { Subject } from '../../core/caller.ts'

export type User = Tables['users']['$inferSelect']

/** Undefined if there is no record, or if the fan is erased. */
export async function findUser(reader: Reader, subject: Subject): Promise<User | undefined> {
  const records = await findRecords(reader, subject)
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

/** Finds also the record of an erased fan, by the hash of the subject. */
export async function findRecords(reader: Reader, subject: Subject): Promise<User[]> {
  const records = await selectRecords(reader, subjectKeysOf(subject))
  const [first, ...others] = records
  return first?.mergedIntoId ? [await requireUser(reader, first.mergedIntoId), ...others] : records
}

/** The record of the subject itself, also of a fan who was merged into another one: the provider’s data is per sign-in. */
export async function findSignIn(reader: Reader, subject: Subject): Promise<User | undefined> {
  return (await selectRecords(reader, subjectKeysOf(subject))).find(record => !isErased(record))
}

/** The fan into which another fan was merged. It exists, since records are never deleted. */
export async function requireUser(reader: Reader, userId: string): Promise<User> {
  const user = await findUserById(reader, userId)
  if (!user) throw new Error('the record of a fan is missing')
  return user
}

export interface SubjectKeys {
  provider: string
  subject: string
  erased: string
}

/** Query for the record of this name, which is a subject or what replaces an erased one. */
export const recordNamed = (reader: Reader, provider: string, name: string) =>
  reader
    .select()
    .from(reader.tables.users)
    .where(isSubject(reader, provider, name))

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
export const subjectKeysOf = ({ provider, subject }: Subject): SubjectKeys => {
  return { provider, subject, erased: erasedSubject({ provider, subject }) }
}

/**
 * Replaces the subject of an erased fan: the SHA-256, in lower-case hex, of the JSON array `["erased", provider, subject]`.
 * It does not disclose the subject, but a request with the subject finds the record.
 */
export function erasedSubject({ provider, subject }: Subject): string {
  return `erased:${hash('sha256', JSON.stringify(['erased', provider, subject]), 'hex')}`
}

/** Query for the record of a fan who is not erased. */
export function activeUser(reader: Reader, userId: string) {
  const { users } = reader.tables
  return reader
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.erasedAt)))
}

/** Of a larger statement: whether the fan of an id is not erased. */
export function isActiveUser(reader: Reader, userId: SQL): SQL {
  const { users } = reader.tables
  const found = reader.select({ id: users.id }).from(users)
  return exists(found.where(and(sql`${users.id} = ${userId}`, isNull(users.erasedAt))))
}

/** Query for the record of a fan, also if the fan is erased. */
export function userOf(reader: Reader, id: string) {
  const { users } = reader.tables
  return reader.select().from(users).where(eq(users.id, id))
}

export const findUserById = preparedRow(userOf)
