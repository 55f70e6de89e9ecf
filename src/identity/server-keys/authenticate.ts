/** Bearer token → server key. */

import { eq } from 'drizzle-orm'
import type { Database, Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { developmentKeyHash } from './development-key.ts'
import { hashServerKey, isWellFormed, looksLikeServerKey } from './key.ts'
import { type ServerKeyRow, scopesOf } from './keys.ts'
import type { ServerScope } from './scopes.ts'

export interface ServerKeyDeps {
  db: Database
  config: { production: boolean }
}

/**
 * Reads the key from the database at each request, so that a revocation holds at once in every process.
 * @throws DomainError `invalid_server_key`
 */
export async function requireServerKey({ db, config }: ServerKeyDeps, token: string): Promise<ServerKeyRow> {
  const key = await identifyServerKey(db.read, token)
  /** Production does not disclose that a text was a key. */
  const explained = (detail: string) => (config.production ? undefined : detail)
  if (typeof key === 'string') throw invalidKey(explained(UNIDENTIFIED[key]))
  const { source, hash, revokedAt, expiresAt } = key
  if (config.production && hash === developmentKeyHash) throw invalidKey()
  if (revokedAt !== null) {
    const security = { event: 'revoked_server_key_used' as const, source }
    throw new DomainError(transportProblems.invalid_server_key, {
      detail: explained('The server key was revoked.'),
      security,
    })
  }
  if (expiresAt !== null && expiresAt <= db.read.now())
    throw invalidKey(explained('The server key has expired.'))
  return key
}

/** Why a text is not a key in this database, for developers and operators. */
export const UNIDENTIFIED = {
  not_a_key: 'This is not a server key: server keys start with mdk_.',
  misspelt: 'The server key is misspelt: its checksum does not match.',
  unknown: 'The database has no such server key.',
} as const

/** The key, valid or not, or the reason why the text is not a key. */
export async function identifyServerKey(
  reader: Reader,
  text: string,
): Promise<ServerKeyRow | keyof typeof UNIDENTIFIED> {
  if (!looksLikeServerKey(text)) return 'not_a_key'
  if (!isWellFormed(text)) return 'misspelt'
  const [key] = await selectKey(reader, hashServerKey(text))
  return key ?? 'unknown'
}

/** @throws DomainError `insufficient_scope` */
export function requireScope(key: ServerKeyRow, scope: ServerScope): void {
  if (scopesOf(key).includes(scope)) return
  throw new DomainError(transportProblems.insufficient_scope, {
    scope,
    detail: `The server key lacks the scope ${scope}.`,
  })
}

const selectKey = prepared((reader: Reader, hash: string) => {
  const { serverKeys } = reader.tables
  return reader.select().from(serverKeys).where(eq(serverKeys.hash, hash))
})

const invalidKey = (detail?: string) => new DomainError(transportProblems.invalid_server_key, { detail })
