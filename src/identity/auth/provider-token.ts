/** The caller's session token, for requests to the provider: that of this request, or the one that the device signed in with. */
import { eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import type { AuthenticatedCaller } from '../../core/caller.ts'
import type { Encryption } from '../../core/encryption.ts'

export interface ProviderToken {
  token: string
  expiresAt: Date
}

/** Null if it has expired since the device signed in. */
export async function findProviderToken(
  reader: Reader,
  tokenEncryption: Encryption,
  { subject, credential }: AuthenticatedCaller,
): Promise<ProviderToken | null> {
  if (credential.kind === 'session') return { token: credential.token, expiresAt: credential.expiresAt }
  const { nativeSessions } = reader.tables
  const [session] = await reader
    .select({ encryptedToken: nativeSessions.encryptedToken, expiresAt: nativeSessions.tokenExpiresAt })
    .from(nativeSessions)
    .where(eq(nativeSessions.id, credential.sessionId))
  if (!session?.encryptedToken || session.expiresAt <= reader.now()) return null
  const token = tokenEncryption.decrypt(session.encryptedToken, subject)
  return token === null ? null : { token, expiresAt: session.expiresAt }
}
