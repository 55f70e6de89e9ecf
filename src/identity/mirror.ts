/** The provider's data about a user, mirrored. Pull and webhook come through the one upsert here. */
import { and, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { prepared, preparedWrite } from '../../db/prepared.ts'
import type { Caller } from '../caller.ts'
import { fanTopic, standingTopic } from '../views/topics.ts'
import type { IdentityClaims } from './claims.ts'
import { ensureUserId, type User } from './users.ts'

type Row = Tables['identities']['$inferSelect']

export type MirroredField = 'email' | 'emailVerified' | 'name' | 'picture'
const FIELDS: MirroredField[] = ['email', 'emailVerified', 'name', 'picture']

/** The mirror as a profile shows it. Times are ISO 8601. */
export interface Identity {
  provider: string
  subject: string
  email: string | null
  emailVerified: boolean | null
  name: string | null
  picture: string | null
  /** The provider's own time of the last change. */
  updatedAt: string | null
  /** When we last took the provider's data; null before the first time. */
  syncedAt: string | null
}

export async function findMirror(reader: Reader, userId: string): Promise<Row | undefined> {
  const [row] = await selectMirror(reader, { userId })
  return row
}

const selectMirror = prepared<{ userId: string }, Row[]>((reader, value) => {
  const { identities } = reader.tables
  return reader
    .select()
    .from(identities)
    .where(eq(identities.userId, value('userId')))
})

export function presentIdentity(
  { provider, subject }: Pick<Caller, 'provider' | 'subject'>,
  row?: Row,
): Identity {
  return {
    provider,
    subject,
    email: row?.email ?? null,
    emailVerified: row?.emailVerified ?? null,
    name: row?.name ?? null,
    picture: row?.picture ?? null,
    updatedAt: row?.updatedAt?.toISOString() ?? null,
    syncedAt: row?.syncedAt?.toISOString() ?? null,
  }
}

/**
 * Writes the provider's data unless the mirror holds something newer, or the user was deleted: one conditional
 * statement decides. Answers which fields it changed. A sync that was put off is thereby made up.
 */
export async function mirrorIdentity(
  tx: Transaction,
  userId: string,
  claims: IdentityClaims,
): Promise<MirroredField[]> {
  const { identities } = tx.tables
  const before = await findMirror(tx, userId)
  const { email, emailVerified, name, picture, updatedAt, statedAt } = claims
  const fresh = { email, emailVerified, name, picture, updatedAt, statedAt, syncedAt: tx.now() }
  const [written] = await tx
    .insert(identities)
    .values({ userId, ...fresh })
    .onConflictDoUpdate({
      target: identities.userId,
      set: fresh,
      setWhere: and(isNull(identities.deletedAt), or(isNull(identities.updatedAt), notOlder(identities))),
    })
    .returning()
  await forgetDeferral(tx, userId)
  if (written) tx.touch(fanTopic(userId))
  return written ? FIELDS.filter(field => written[field] !== (before?.[field] ?? null)) : []
}

type Identities = Tables['identities']

/**
 * `updated_at` counts whole seconds at most providers: what changed twice within one is told apart by when the
 * provider said so, and what it said at one instant by its content, so that every order of arrival ends alike.
 * Row values compare member by member, on both engines. No claim is empty text, so that stands for null.
 */
function notOlder({ updatedAt, statedAt, email, emailVerified, name, picture }: Identities) {
  return sql`(excluded.updated_at, excluded.stated_at, coalesce(excluded.email, ''), ${rank(sql`excluded.email_verified`)},
    coalesce(excluded.name, ''), coalesce(excluded.picture, ''))
    >= (${updatedAt}, ${statedAt}, coalesce(${email}, ''), ${rank(sql`${emailVerified}`)}, coalesce(${name}, ''),
    coalesce(${picture}, ''))`
}

/** Null, false and true are three contents: were two of them equal, the first to come would win. */
const rank = (truth: SQL) => sql`case when ${truth} then 2 when not ${truth} then 1 else 0 end`

/** The provider deleted the user: the mirror is emptied, and no later update fills it again. */
export async function buryIdentity(tx: Transaction, user: User): Promise<void> {
  const { identities } = tx.tables
  const nothing = {
    email: null,
    emailVerified: null,
    name: null,
    picture: null,
    updatedAt: null,
    statedAt: null,
  }
  const tombstone = { ...nothing, syncedAt: tx.now(), deletedAt: tx.now() }
  await tx
    .insert(identities)
    .values({ userId: user.id, ...tombstone })
    .onConflictDoUpdate({ target: identities.userId, set: tombstone, setWhere: isNull(identities.deletedAt) })
  tx.touch(fanTopic(user.id))
  tx.touch(standingTopic(user))
  await forgetDeferral(tx, user.id)
}

/** The job of a sync that was put off goes when it is made up, or can be no more. */
export async function forgetDeferral(tx: Transaction, userId: string): Promise<void> {
  await deleteDeferral(tx, { userId })
}

const deleteDeferral = preparedWrite<{ userId: string }, unknown>((tx, value) => {
  const { deferredSyncs } = tx.tables
  return tx.delete(deferredSyncs).where(eq(deferredSyncs.userId, value('userId')))
})

/** Whether a sync of theirs is put off. */
export async function isDeferred(reader: Reader, userId: string): Promise<boolean> {
  const { deferredSyncs } = reader.tables
  const rows = await reader
    .select({ userId: deferredSyncs.userId })
    .from(deferredSyncs)
    .where(eq(deferredSyncs.userId, userId))
  return rows.length > 0
}

/** A pull: makes the user record when there is none. */
export async function syncIdentity(tx: Transaction, caller: Caller, claims: IdentityClaims) {
  const userId = await ensureUserId(tx, caller)
  const changed = await mirrorIdentity(tx, userId, claims)
  const identity = presentIdentity(caller, await findMirror(tx, userId))
  return { identity, changed, syncedAt: tx.now().toISOString() }
}
