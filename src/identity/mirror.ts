/** The provider's data about a user, mirrored. Pull and webhook come through the one upsert here. */
import { eq, isNull, lte, or, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import type { Caller } from '../caller.ts'
import type { IdentityClaims } from './claims.ts'
import { ensureUser } from './users.ts'

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
  const { identities } = reader.tables
  const [row] = await reader.select().from(identities).where(eq(identities.userId, userId))
  return row
}

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

/** Writes the provider's data unless the mirror holds something newer. Answers which fields it changed. */
export async function mirrorIdentity(
  tx: Transaction,
  userId: string,
  claims: IdentityClaims,
): Promise<MirroredField[]> {
  const { identities } = tx.tables
  const before = await findMirror(tx, userId)
  const { email, emailVerified, name, picture, updatedAt } = claims
  const fresh = { email, emailVerified, name, picture, updatedAt, syncedAt: tx.now() }
  const [written] = await tx
    .insert(identities)
    .values({ userId, ...fresh })
    .onConflictDoUpdate({
      target: identities.userId,
      set: { ...fresh, updatedAt: updatedAt ?? identities.updatedAt },
      // A provider without `updated_at` cannot be late: what it says now is taken.
      setWhere: updatedAt
        ? or(isNull(identities.updatedAt), lte(identities.updatedAt, sql`excluded.updated_at`))
        : undefined,
    })
    .returning()
  return written ? FIELDS.filter(field => written[field] !== (before?.[field] ?? null)) : []
}

/** A pull: makes the user record when there is none. */
export async function syncIdentity(tx: Transaction, caller: Caller, claims: IdentityClaims) {
  const { user } = await ensureUser(tx, caller)
  const changed = await mirrorIdentity(tx, user.id, claims)
  const identity = presentIdentity(caller, await findMirror(tx, user.id))
  return { identity, changed, syncedAt: tx.now().toISOString() }
}
