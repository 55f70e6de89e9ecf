/** The caller's session token, for calls to the provider on their behalf: their own, or the one their device came with. */
import { eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import type { AuthenticatedCaller } from '../core/caller.ts'
import type { TokenEncryption } from '../users/token-encryption.ts'

export interface ProviderToken {
  token: string
  expiresAt: Date
}

/** Null when there is none that still holds: the device was signed in longer ago than a session token lasts. */
export async function findProviderToken(
  reader: Reader,
  tokenEncryption: TokenEncryption,
  { subject, credential }: AuthenticatedCaller,
): Promise<ProviderToken | null> {
  if (credential.kind === 'session') return { token: credential.token, expiresAt: credential.expiresAt }
  const { nativeSessions } = reader.tables
  const [session] = await reader
    .select({ sealedToken: nativeSessions.sealedToken, expiresAt: nativeSessions.tokenExpiresAt })
    .from(nativeSessions)
    .where(eq(nativeSessions.id, credential.sessionId))
  if (!session?.sealedToken || session.expiresAt <= reader.now()) return null
  const token = tokenEncryption.decrypt(session.sealedToken, subject)
  return token === null ? null : { token, expiresAt: session.expiresAt }
}
