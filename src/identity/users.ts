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
