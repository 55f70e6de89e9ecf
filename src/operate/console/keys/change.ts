/** Reads and changes server keys with the verbs of `identity/server-keys`. A key is in one response and nowhere else. */
import type { Reader, Transaction } from '../../../../db/index.ts'
import { parseInstant } from '../../../core/instant.ts'
import { DomainError } from '../../../core/problems.ts'
import { refuseField } from '../../../core/transport-problems.ts'
import {
  createServerKey,
  listServerKeys,
  revokeServerKeys,
  rotateServerKey,
  type ServerKeyRow,
  scopesOf,
  sourceFault,
  stateOf,
} from '../../../identity/server-keys/keys.ts'
import { SERVER_SCOPES, type ServerScope } from '../../../identity/server-keys/scopes.ts'
import { keyProblems } from './problems.ts'
import type { NewServerKey } from './schema.ts'

export async function readServerKeys(reader: Reader) {
  const now = reader.now()
  return {
    keys: (await listServerKeys(reader)).map(row => presentKey(row, now)),
    // Guarantee of the cast: an object without symbols has its own names alone.
    scopes: Object.entries(SERVER_SCOPES).map(([scope, { meaning }]) => ({
      scope: scope as ServerScope,
      meaning,
    })),
  }
}

function presentKey(row: ServerKeyRow, now: Date) {
  const { id, source, createdAt, expiresAt, revokedAt, lastUsedAt } = row
  return {
    id,
    source,
    state: stateOf(row, now),
    scopes: scopesOf(row),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}

/** @throws DomainError `validation_failed`, `server_key_exists` */
export async function issueKey(
  tx: Transaction,
  { source, scopes, expiresAt }: Pick<typeof NewServerKey.static, 'source' | 'scopes' | 'expiresAt'>,
) {
  const fault = sourceFault(source)
  if (fault !== null) refuseField({ pointer: '/source', message: fault })
  const ends = laterThanNow(tx, expiresAt ?? undefined) ?? null
  const issued = await createServerKey(tx, { source, scopes, expiresAt: ends })
  if (!issued) throw new DomainError(keyProblems.server_key_exists)
  return { ...presentKey(issued.row, tx.now()), key: issued.key }
}

/** @throws DomainError `validation_failed`, `server_key_not_found` */
export async function rotateKey(tx: Transaction, source: string, expiresAt: string | undefined) {
  const rotated = await rotateServerKey(tx, source, laterThanNow(tx, expiresAt))
  if (!rotated) throw new DomainError(keyProblems.server_key_not_found)
  return { ...presentKey(rotated.row, tx.now()), key: rotated.key }
}

/** @throws DomainError `server_key_not_found` if there is no key to revoke */
export async function revokeKeys(tx: Transaction, source: string, keyId: string | undefined) {
  const revoked = await revokeServerKeys(tx, source, keyId)
  if (revoked.length === 0) throw new DomainError(keyProblems.server_key_not_found)
  return { revoked: revoked.map(({ id }) => id) }
}

function laterThanNow(tx: Transaction, text: string | undefined): Date | undefined {
  const at = text === undefined ? null : parseInstant(text)
  if (at === null) return undefined
  if (at <= tx.now()) refuseField({ pointer: '/expiresAt', message: 'must be later than now' })
  return at
}
