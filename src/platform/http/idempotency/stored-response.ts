/**
 * Stored responses that are encrypted in the database, since they contain data that is encrypted elsewhere.
 */
import type { Sources } from '../../../../db/index.ts'
import type { Encryption } from '../../../core/encryption.ts'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { KeyScope } from './key-store.ts'

/** No JSON text begins like this. */
export const ENCRYPTED = 'encrypted:'

const ownerOf = ({ provider, subject, route, key }: KeyScope) =>
  JSON.stringify([provider, subject, route, key])

export type StoredEncryption = ReturnType<typeof encryptStored>

/** For the option `encryption` of a write. */
export const encryptStored = (encryption: Encryption) => ({
  encrypt: ({ randomBytes }: Pick<Sources, 'randomBytes'>, scope: KeyScope, text: string): string =>
    ENCRYPTED + encryption.encrypt(text, ownerOf(scope), randomBytes(12)),
  decrypt(scope: KeyScope, response: string): string {
    const text = decryptStored(encryption, scope, response)
    // What the first request did stands: it must not run again.
    if (text === null) throw new DomainError(transportProblems.idempotency_response_lost)
    return text
  },
})

/** JSON text. Null if it is encrypted with a key that is no longer known, or no key is given. */
export function decryptStored(
  encryption: Encryption | undefined,
  scope: KeyScope,
  response: string,
): string | null {
  if (!response.startsWith(ENCRYPTED)) return response
  return encryption?.decrypt(response.slice(ENCRYPTED.length), ownerOf(scope)) ?? null
}
