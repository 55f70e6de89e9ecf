/** The user record of whoever a token speaks for: found, or made at the first write of any kind. */
import { and, eq } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import type { Caller } from '../caller.ts'

export type User = Tables['users']['$inferSelect']
type Who = Pick<Caller, 'provider' | 'subject'>

export async function findUser(reader: Reader, { provider, subject }: Who): Promise<User | undefined> {
  const { users } = reader.tables
  const [user] = await reader
    .select()
    .from(users)
    .where(and(eq(users.provider, provider), eq(users.subject, subject)))
  return user
}

/** Twenty first requests at once make one record: the unique index decides, the others read what won. */
export async function ensureUser(tx: Transaction, who: Who): Promise<{ user: User; created: boolean }> {
  const existing = await findUser(tx, who)
  if (existing) return { user: existing, created: false }
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

/** Whether the provider deleted the user, and when they last logged out everywhere. */
export async function findStanding(reader: Reader, { provider, subject }: Who) {
  const { users, identities } = reader.tables
  const [found] = await reader
    .select({ sessionsEndedAt: users.sessionsEndedAt, deletedAt: identities.deletedAt })
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
    .where(and(eq(users.provider, provider), eq(users.subject, subject)))
  return { deleted: Boolean(found?.deletedAt), sessionsEndedAt: found?.sessionsEndedAt ?? null }
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
