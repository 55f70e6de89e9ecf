/** Creates, rotates, revokes and lists the keys of sources. A source is one system that calls the API. */
import { and, asc, desc, eq, isNull } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { developmentSource } from './development-key.ts'
import { hashServerKey, mintServerKey } from './key.ts'
import type { ServerScope } from './scopes.ts'

export type ServerKeyRow = Tables['serverKeys']['$inferSelect']

/** How long the previous key works after a rotation. */
export const OVERLAP_MS = 24 * 3_600_000

const SOURCE = /^[a-z0-9][a-z0-9._-]{0,63}$/
/** The application itself, operators, staff, and the key of development. */
const RESERVED = ['matchday', 'operator', 'console', developmentSource]

/** What is wrong with the name of a source; null if nothing is. */
export function sourceFault(source: string): string | null {
  if (!SOURCE.test(source))
    return 'must be 1 to 64 characters: a-z, 0-9, ., _ and -, starting with a letter or a digit'
  return RESERVED.includes(source) ? `must not be one of the reserved ones: ${RESERVED.join(', ')}` : null
}

export interface IssuedKey {
  /** The key itself, which is not stored. */
  key: string
  row: ServerKeyRow
}

interface KeyRequest {
  source: string
  scopes: readonly ServerScope[]
  /** Null: never. */
  expiresAt: Date | null
}

/** Null if the source has a current key. The unique index decides between concurrent calls. */
export async function createServerKey(tx: Transaction, request: KeyRequest): Promise<IssuedKey | null> {
  const { serverKeys } = tx.tables
  const { source, expiresAt } = request
  const key = mintServerKey(tx.randomBytes(32))
  const scopes = [...new Set(request.scopes)].sort().join(' ')
  const [row] = await tx
    .insert(serverKeys)
    .values({
      id: tx.newId(),
      source,
      currentOf: source,
      scopes,
      hash: hashServerKey(key),
      createdAt: tx.now(),
      expiresAt,
    })
    .onConflictDoNothing()
    .returning()
  return row ? { key, row } : null
}

/**
 * A new key with the scopes of the current one, and with its lifetime unless `expiresAt` is given. The current one works
 * for another 24 hours. Null if the source has no current key.
 */
export async function rotateServerKey(
  tx: Transaction,
  source: string,
  expiresAt?: Date,
): Promise<(IssuedKey & { previous: ServerKeyRow }) | null> {
  const { serverKeys } = tx.tables
  // Makes room for the next current key, and locks the row. A concurrent rotation finds none.
  const [current] = await tx
    .update(serverKeys)
    .set({ currentOf: null })
    .where(eq(serverKeys.currentOf, source))
    .returning()
  if (!current) return null
  const overlapEnd = new Date(tx.now().getTime() + OVERLAP_MS)
  const endsEarlier = current.expiresAt !== null && current.expiresAt < overlapEnd
  const previous = { ...current, expiresAt: endsEarlier ? current.expiresAt : overlapEnd }
  await tx.update(serverKeys).set({ expiresAt: previous.expiresAt }).where(eq(serverKeys.id, current.id))
  const issued = await createServerKey(tx, {
    source,
    scopes: scopesOf(current),
    expiresAt: expiresAt ?? sameLifetime(current, tx.now()),
  })
  if (!issued) throw new Error('the source got another key during its rotation')
  return { ...issued, previous }
}

function sameLifetime({ createdAt, expiresAt }: ServerKeyRow, now: Date): Date | null {
  return expiresAt && new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime())
}

/** Revokes all keys of a source, or one of them. They are refused at once, in every process. Returns those revoked now. */
export async function revokeServerKeys(
  tx: Transaction,
  source: string,
  keyId?: string,
): Promise<ServerKeyRow[]> {
  const { serverKeys } = tx.tables
  const isMeant = and(
    eq(serverKeys.source, source),
    keyId === undefined ? undefined : eq(serverKeys.id, keyId),
    isNull(serverKeys.revokedAt),
  )
  return tx.update(serverKeys).set({ revokedAt: tx.now(), currentOf: null }).where(isMeant).returning()
}

/** By source, newest key first. */
export async function listServerKeys(reader: Reader, source?: string): Promise<ServerKeyRow[]> {
  const { serverKeys } = reader.tables
  return reader
    .select()
    .from(serverKeys)
    .where(source === undefined ? undefined : eq(serverKeys.source, source))
    .orderBy(asc(serverKeys.source), desc(serverKeys.createdAt), desc(serverKeys.id))
}

/** Guarantee of the cast: only `createServerKey` and the key of development write scopes. */
export const scopesOf = ({ scopes }: Pick<ServerKeyRow, 'scopes'>) => scopes.split(' ') as ServerScope[]

export type KeyState = 'active' | 'replaced' | 'expired' | 'revoked'

/** `replaced`: rotated, and valid until it expires. */
export function stateOf({ currentOf, expiresAt, revokedAt }: ServerKeyRow, now: Date): KeyState {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  return currentOf === null ? 'replaced' : 'active'
}
