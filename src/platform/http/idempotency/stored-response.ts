/**
 * Stored responses that are encrypted in the database, since they contain data that is encrypted elsewhere.
 */
import type { Sources } from '../../../../db/index.ts'
import type { Encryption } from '../../../core/encryption.ts'
import type { KeyScope } from './key-store.ts'

/** No JSON text begins like this. */
export const ENCRYPTED = 'encrypted:'

const ownerOf = ({ provider, subject, route, key }: KeyScope) =>
  JSON.stringify([provider, subject, route, key])

export const encryptStored = (
  encryption: Encryption,
  { randomBytes }: Pick<Sources, 'randomBytes'>,
  scope: KeyScope,
  text: string,
) => ENCRYPTED + encryption.encrypt(text, ownerOf(scope), randomBytes(12))

/** JSON text. Null if it is encrypted with a key that is not known any more, or no key is given. */
export function decryptStored(
  encryption: Encryption | undefined,
  scope: KeyScope,
  response: string,
): string | null {
  if (!response.startsWith(ENCRYPTED)) return response
  return encryption?.decrypt(response.slice(ENCRYPTED.length), ownerOf(scope)) ?? null
}
