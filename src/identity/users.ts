/** The user record of whoever a token speaks for: found, or made at the first write of any kind. */
import { createHash } from 'node:crypto'
import { and, eq, inArray } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import type { Caller } from '../caller.ts'
import { DomainError } from '../problems.ts'

export type User = Tables['users']['$inferSelect']
type Who = Pick<Caller, 'provider' | 'subject'>

/** Undefined for whoever has no record, and for an erased fan: theirs takes part in nothing any more. */
export async function findUser(reader: Reader, who: Who): Promise<User | undefined> {
  const records = await findRecords(reader, who)
  return records.some(isErased) ? undefined : records[0]
}

/** Also of an erased fan, by the hash that is left of their subject. */
export async function findRecords(reader: Reader, who: Who): Promise<User[]> {
  const { users } = reader.tables
  return reader.select().from(users).where(isWho(reader, who))
}

const isErased = ({ erasedAt }: Pick<User, 'erasedAt'>) => erasedAt !== null

const isWho = ({ tables: { users } }: Pick<Reader, 'tables'>, { provider, subject }: Who) =>
  and(eq(users.provider, provider), inArray(users.subject, [subject, erasedSubject({ provider, subject })]))

/**
 * What stands in the place of an erased fan's subject: SHA-256, in lower-case hex, over the JSON array
 * `["erased", provider, subject]`. It tells nobody the subject, and whoever comes with the subject is known by it.
 */
export function erasedSubject({ provider, subject }: Who): string {
  const hash = createHash('sha256').update(JSON.stringify(['erased', provider, subject]))
  return `erased:${hash.digest('hex')}`
}

/**
 * Twenty first requests at once make one record: the unique index decides, the others read what won.
 * @throws DomainError `invalid_token` (an erased fan, whose request was under way)
 */
export async function ensureUser(tx: Transaction, who: Who): Promise<{ user: User; created: boolean }> {
  const records = await findRecords(tx, who)
  if (records.some(isErased)) throw new DomainError('invalid_token', { detail: ERASED })
  if (records[0]) return { user: records[0], created: false }
  const { provider, subject } = who
  const now = tx.now()
  const [made] = await tx
    .insert(tx.tables.users)
    .values({ id: tx.newId(), provider, subject, createdAt: now, updatedAt: now })
    .onConflictDoNothing()
    .returning()
  const user = made ?? (await findUser(tx, who))
  if (!user) throw new Error('user record vanished while it was made')
  return { user, created: made !== undefined }
}

export const ERASED = 'This user was erased.'

/** Whether the user was erased here or deleted by the provider, and when they last logged out everywhere. */
export async function findStanding(reader: Reader, who: Who) {
  const { users, identities } = reader.tables
  const found = await reader
    .select({
      sessionsEndedAt: users.sessionsEndedAt,
      deletedAt: identities.deletedAt,
      erasedAt: users.erasedAt,
    })
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
    .where(isWho(reader, who))
  const erased = found.some(isErased)
  return {
    erased,
    deleted: erased || found.some(({ deletedAt }) => deletedAt !== null),
    sessionsEndedAt: found[0]?.sessionsEndedAt ?? null,
  }
}

/** Logged out everywhere: session tokens issued up to now, and what came of them, are refused. */
export async function endSessions(tx: Transaction, who: Who): Promise<void> {
  const { user } = await ensureUser(tx, who)
  const { users } = tx.tables
  await tx.update(users).set({ sessionsEndedAt: tx.now() }).where(eq(users.id, user.id))
}

export async function findUserById(reader: Reader, id: string): Promise<User | undefined> {
  const { users } = reader.tables
  const [user] = await reader.select().from(users).where(eq(users.id, id))
  return user
}
