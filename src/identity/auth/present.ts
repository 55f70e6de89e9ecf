/** Responses about native sessions. */

import type { Credential } from '../../core/caller.ts'
import type { AppSources } from '../../core/sources.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Grant, NativeSession } from './native-sessions.ts'
import type { NativeTokens } from './native-tokens.ts'

/** Signs the access token. Call it after the commit, so that no token exists without its session. */
export async function presentGrant(
  { config, nativeTokens, newId }: { config: Config; nativeTokens: NativeTokens; newId: AppSources['newId'] },
  grant: Grant,
) {
  const { session, clientId, issuedAt, accessExpiresAt, refreshToken, refreshExpiresAt } = grant
  const token = await nativeTokens.sign({
    subject: session.subject,
    // Providers that name no client use the id of the app or of this API as the audience.
    clientId: clientId ?? config.identity.audiences[0],
    sessionId: session.id,
    tokenId: newId(),
    issuedAt,
    expiresAt: accessExpiresAt,
  })
  return {
    token,
    tokenType: 'Bearer' as const,
    expiresIn: Math.floor((accessExpiresAt.getTime() - issuedAt.getTime()) / 1000),
    expiresAt: accessExpiresAt.toISOString(),
    refreshToken,
    refreshExpiresAt: refreshExpiresAt.toISOString(),
    sessionId: session.id,
  }
}

export function presentSession(session: NativeSession, credential: Credential) {
  return {
    id: session.id,
    deviceName: session.deviceName,
    createdAt: session.createdAt.toISOString(),
    lastUsedAt: session.rotatedAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    current: credential.kind === 'native' && credential.sessionId === session.id,
  }
}
