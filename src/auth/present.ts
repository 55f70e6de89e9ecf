/** Native sessions as clients see them. */

import type { Config } from '../config/config.ts'
import type { Credential } from '../core/caller.ts'
import type { AppSources } from '../core/sources.ts'
import type { Grant, NativeSession } from './native-sessions.ts'
import type { NativeTokens } from './native-token.ts'

/** Signs the access token. Runs after the commit: a token of a session that was never written is worth nothing. */
export async function presentGrant(
  { config, nativeTokens, newId }: { config: Config; nativeTokens: NativeTokens; newId: AppSources['newId'] },
  grant: Grant,
) {
  const { session, clientId, issuedAt, accessExpiresAt, refreshToken, refreshExpiresAt } = grant
  const token = await nativeTokens.sign({
    subject: session.subject,
    // Where the provider names no client, its audience is the app's id or that of this API.
    clientId: clientId ?? config.identity.audience,
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
